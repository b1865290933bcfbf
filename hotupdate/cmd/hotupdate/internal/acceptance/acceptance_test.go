package acceptance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/acceptance"
)

var (
	today = time.Date(2026, time.June, 30, 23, 59, 0, 0, time.UTC)
	own   = acceptance.Command{Verdicts: []string{"roll", "removed"}, Lacks: []acceptance.Member{acceptance.Code}}
	other = acceptance.Command{Verdicts: []string{"rolled"}}
)

func read(tb testing.TB, text string) (*acceptance.List, error) {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "accept.yaml")
	require.NoError(tb, os.WriteFile(file, []byte(text), 0o600))
	list, err := acceptance.Read(file, own, []acceptance.Command{other}, today)
	if err != nil {
		return nil, err
	}
	return list, nil
}

func entries(lines ...string) string {
	return "formatVersion: 1\naccepted:\n- " + strings.Join(lines, "\n- ") + "\n"
}

// roll is a finding about a field of pool x.
func roll(path string) acceptance.Finding {
	return acceptance.Finding{
		acceptance.Verdict: {"roll"}, acceptance.Path: {path, "providerConfig." + path}, acceptance.Pool: {"x"},
		acceptance.Minor: {"1.30"},
	}
}

// TestWhy: a finding is accepted by an entry all of whose members it has, up to and including the last day. Of several
// findings, each has to be accepted, and all are only until the first of the entries expires.
func TestWhy(t *testing.T) {
	t.Parallel()
	const until = "reason: agreed, expires: 2026-06-30"
	for name, tc := range map[string]struct {
		entries  []string
		findings []acceptance.Finding
		want     string
	}{
		"by path": {[]string{"{path: a, " + until + "}"}, []acceptance.Finding{roll("a")}, "accepted until 2026-06-30: agreed"},
		"by the other path": {
			[]string{"{path: providerConfig.a, " + until + "}"}, []acceptance.Finding{roll("a")}, "accepted until 2026-06-30: agreed",
		},
		"another path":       {[]string{"{path: b, " + until + "}"}, []acceptance.Finding{roll("a")}, ""},
		"one member differs": {[]string{"{path: a, pool: z, " + until + "}"}, []acceptance.Finding{roll("a")}, ""},
		"a member without a value": {
			[]string{"{path: a, project: p, " + until + "}"}, []acceptance.Finding{roll("a")}, "",
		},
		"the day after": {[]string{"{path: a, reason: r, expires: 2026-06-29}"}, []acceptance.Finding{roll("a")}, ""},
		"an expired one, then another": {
			[]string{"{path: a, reason: r, expires: 2020-01-01}", "{path: a, " + until + "}"},
			[]acceptance.Finding{roll("a")},
			"accepted until 2026-06-30: agreed",
		},
		"one of two": {[]string{"{path: a, " + until + "}"}, []acceptance.Finding{roll("a"), roll("b")}, ""},
		"both of two": {
			[]string{"{verdict: roll, " + until + "}"}, []acceptance.Finding{roll("a"), roll("b")}, "accepted until 2026-06-30: agreed",
		},
		"two entries for two, the second expires first": {
			[]string{"{path: a, reason: late, expires: 2027-01-01}", "{path: b, " + until + "}"},
			[]acceptance.Finding{roll("a"), roll("b")},
			"accepted until 2026-06-30: agreed; until 2027-01-01: late",
		},
		"two entries for two, the first expires first": {
			[]string{"{path: a, " + until + "}", "{path: b, reason: late, expires: 2027-01-01}"},
			[]acceptance.Finding{roll("a"), roll("b")},
			"accepted until 2026-06-30: agreed; until 2027-01-01: late",
		},
		"three entries for three, two with one reason": {
			[]string{"{path: a, reason: x, expires: 2027-01-01}", "{path: b, reason: late, expires: 2027-01-01}", "{path: c, reason: x, expires: 2027-01-01}"},
			[]acceptance.Finding{roll("a"), roll("b"), roll("c")},
			"accepted until 2027-01-01: late; until 2027-01-01: x",
		},
		"two entries for one, the second expires later": {
			[]string{"{path: a, " + until + "}", "{verdict: roll, reason: late, expires: 2027-01-01}"},
			[]acceptance.Finding{roll("a")},
			"accepted until 2027-01-01: late",
		},
		"none":                      {[]string{"{path: a, " + until + "}"}, nil, ""},
		"of the other command":      {[]string{"{verdict: rolled, path: a, " + until + "}"}, []acceptance.Finding{roll("a")}, ""},
		"a member that it does not": {[]string{"{code: c, " + until + "}"}, []acceptance.Finding{roll("a")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := read(t, entries(tc.entries...))
			require.NoError(t, err)
			assert.Equal(t, tc.want, list.Why(tc.findings))
		})
	}
	var nothing *acceptance.List
	assert.Empty(t, nothing.Why([]acceptance.Finding{roll("a")}))
	assert.Empty(t, nothing.Remarks(true))
}

// TestRemarks: an entry that has expired is named, and one that matches no finding of this command.
func TestRemarks(t *testing.T) {
	t.Parallel()
	list, err := read(t, entries(
		"{path: a, reason: used, expires: 2027-01-01}",
		"{path: b, reason: unused, expires: 2027-01-01}",
		"{path: c, reason: old, expires: 2026-01-01}",
		"{verdict: rolled, reason: of the other command, expires: 2027-01-01}",
		"{code: x, reason: of the other command, expires: 2027-01-01}",
		"{path: d, reason: half, expires: 2027-01-01}",
	))
	require.NoError(t, err)
	assert.NotEmpty(t, list.Why([]acceptance.Finding{roll("a")}))
	assert.Empty(t, list.Why([]acceptance.Finding{roll("d"), roll("e")}))
	remarks := list.Remarks(true)
	require.Len(t, remarks, 2)
	assert.Contains(t, remarks[0], "accept.yaml:4: accepted[1] accepts nothing that was found: unused")
	assert.Contains(t, remarks[1], "accept.yaml:5: accepted[2] has expired on 2026-01-01: old")
	covered, err := read(t, entries("{path: a, reason: r, expires: 2027-01-01}", "{verdict: roll, reason: r, expires: 2028-01-01}"))
	require.NoError(t, err)
	assert.NotEmpty(t, covered.Why([]acceptance.Finding{roll("a")}))
	assert.Empty(t, covered.Remarks(true), "both accept it")
	partial := list.Remarks(false)
	require.Len(t, partial, 1)
	assert.Contains(t, partial[0], "has expired")
}

// TestProblems: each problem has its line, and says what to write.
func TestProblems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               ":1: is not a list of accepted findings; write formatVersion: 1 and accepted: [ENTRY...]",
		"[]":                             ":1: is not a list of accepted findings; write formatVersion: 1 and accepted: [ENTRY...]",
		"accepted: []":                   ":1: has formatVersion none; write 1",
		"formatVersion: \"1\"":           `:1: has formatVersion "1"; write 1`,
		"formatVersion: 1\naccepted: {}": ":2: accepted: is not a list; write an entry with a reason after each dash",
		"formatVersion: 1\nacepted: []":  ":2: acepted: is unknown; did you mean accepted?",
		entries("{paht: a, pool: b, reason: r, expires: 2027-01-01}"): ":3: accepted[0].paht: is unknown; did you mean path?",
		entries(
			"{pool: b, expires: 2027-01-01}",
		): ":3: accepted[0]: has no reason; write one, for those who find the entry later",
		entries("{pool: b, reason: r}"):                      ":3: accepted[0]: has no last day; write expires: 2026-12-31",
		entries("{pool: b, reason: r, expires: 31.12.2026}"): ":3: accepted[0]: has no last day; write expires: 2026-12-31",
		entries("{reason: r, expires: 2027-01-01}"):          ":3: accepted[0]: accepts every finding; write what it accepts: verdict, path, finding, code, minor, project, namespace, name, pool",
		entries(
			"{verdict: rol, reason: r, expires: 2027-01-01}",
		): ":3: accepted[0].verdict: is unknown; did you mean roll?; known are roll, removed, rolled",
		entries("a"): ":3: accepted[0]: is not an entry; write an object with reason, expires and what is accepted",
		entries("{pool: {a: b}, path: a, reason: r, expires: 2027-01-01}"): ":3: accepted[0].pool: is not text in YAML; write it in quotes",
		entries(
			"{minor: 1.30, pool: a, reason: r, expires: 2027-01-01}",
		): ":3: accepted[0].minor: is not text in YAML; write it in quotes",
	} {
		_, err := read(t, text)
		require.Error(t, err, text)
		_, problem, _ := strings.Cut(err.Error(), "accept.yaml")
		assert.Equal(t, want, problem, text)
	}
	_, err := read(t, "formatVersion: 2\naccepted:\n- {pool: a}\n")
	assert.Equal(t, 3, len(strings.Split(err.Error(), "\n")), "all problems at once: %v", err)
	_, err = acceptance.Read("missing.yaml", own, nil, today)
	assert.EqualError(t, err, "missing.yaml: no such file or directory")
}

// FuzzRead: every text is a list or has problems that name the file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(entries("{path: a, reason: r, expires: 2027-01-01}")))
	f.Add([]byte(`{"formatVersion": 1, "accepted": [{"minor": 1.30}, null, 5]}`))
	f.Add([]byte("formatVersion: 1\naccepted: &a\n- *a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := read(t, string(text))
		if err != nil {
			assert.Contains(t, err.Error(), "accept.yaml")
			return
		}
		assert.Empty(t, list.Why([]acceptance.Finding{{}}), "an entry without members would accept everything")
	})
}
