package hash_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// constant returns the function of an era that returns its own name.
func constant(name string) func([]byte, int) ([]string, error) {
	return func([]byte, int) ([]string, error) { return []string{name}, nil }
}

func eraOf(name, from string) hash.Era[int] {
	return hash.Era[int]{Name: name, From: from, Data: constant(name)}
}

func erasOf(t require.TestingT, eras ...hash.Era[int]) rollingEras[int] {
	e, err := newRolling(eras)
	require.NoError(t, err)
	return e
}

func TestNewErasRejects(t *testing.T) {
	t.Parallel()
	type list = []hash.Era[int]
	codes := func(codes ...string) []string { return codes }
	for _, test := range []struct {
		name   string
		in     list
		want   []string
		reason string
	}{
		{"nil", nil, codes("no-eras"), "no pool would have an era"},
		{"empty", list{}, codes("no-eras"), "the same"},
		{"first with From", list{eraOf("a", "1.30")}, codes("first-era-has-from"), "older pools would have no era"},
		{"later without From", list{eraOf("a", ""), eraOf("b", "")}, codes("no-from"), "two first eras"},
		{"no name", list{eraOf("", "")}, codes("no-era-name"), "nobody could tell which one failed"},
		{"same name", list{eraOf("a", ""), eraOf("a", "1.34")}, codes("duplicate-era-name"), "the same"},
		{"no function", list{{Name: "a"}}, codes("no-era-function"), "nothing to call"},
		{"overlap", list{eraOf("a", ""), eraOf("b", "1.34"), eraOf("c", "1.34")}, codes("duplicate-from"), "both begin at 1.34"},
		{"unordered", list{eraOf("a", ""), eraOf("b", "1.37"), eraOf("c", "1.34")}, codes("unordered-from"), "which one stands for 1.38?"},
		{"ordered as text", list{eraOf("a", ""), eraOf("b", "1.10"), eraOf("c", "1.9")}, codes("unordered-from"), "1.9 is below 1.10"},
		{
			"unordered beyond a neighbour",
			list{eraOf("a", ""), eraOf("b", "1.37"), eraOf("c", "1.34"), eraOf("d", "1.36")},
			codes("unordered-from", "unordered-from"), "1.36 is below 1.37, too",
		},
		{"patch version", list{eraOf("a", ""), eraOf("b", "1.34.2")}, codes("invalid-from"), "an era cannot begin within a minor"},
		{"pre-release", list{eraOf("a", ""), eraOf("b", "1.34-rc.1")}, codes("invalid-from"), "the same"},
		{"prefix", list{eraOf("a", ""), eraOf("b", "v1.34")}, codes("invalid-from"), "one spelling"},
		{"garbage", list{eraOf("a", ""), eraOf("b", "next")}, codes("invalid-from"), "no version"},
		{"garbage is no From", list{eraOf("a", ""), eraOf("b", "x"), eraOf("c", "1.1")}, codes("invalid-from"), "c is not blamed"},
		{
			"all at once",
			list{{From: "1.1"}, {Name: "b"}, {Name: "b", From: "x"}, eraOf("d", "1.34"), eraOf("e", "1.34"), eraOf("f", "1.33")},
			codes("no-era-name", "no-era-function", "first-era-has-from", "no-era-function", "no-from",
				"duplicate-era-name", "no-era-function", "invalid-from", "duplicate-from", "unordered-from"),
			"one round is enough",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fine := []hash.Era[int]{eraOf("a", "")}
			eras, err := hash.NewEras(test.in, fine)
			assert.Nil(t, eras)
			assert.ErrorContains(t, err, "pools that roll: ")
			assert.Equal(t, test.want, codesOf(err), test.reason)
			eras, err = hash.NewEras(fine, test.in)
			assert.Nil(t, eras)
			assert.ErrorContains(t, err, "pools that are updated in place: ")
			assert.Equal(t, test.want, codesOf(err), test.reason)
			for _, e := range errorsOf(err) {
				assert.Regexp(t, `^hotupdate: era[^:]*: [^;]+; .+$`, e.Error())
			}
		})
	}
}

func TestErasExplain(t *testing.T) {
	t.Parallel()
	three := erasOf(t, eraOf("raw", ""), eraOf("list", "1.34"), eraOf("canonical", "1.37"))
	for _, test := range []struct {
		version *string
		era     string
		text    string
		reason  string
	}{
		{nil, "raw", `era "raw" is in force: the pool has no Kubernetes version`, "no version set"},
		{new("1.33.9"), "raw", `era "raw" is in force: Kubernetes 1.33 is below 1.34`, "below"},
		{new("0.1.0"), "raw", `era "raw" is in force: Kubernetes 0.1 is below 1.34`, "lower than everything"},
		{
			new("v1.34.0-alpha.0"),
			"list",
			`era "list" is in force: Kubernetes 1.34 is at least 1.34 and below 1.37`, "a pre-release belongs to its minor",
		},
		{
			new("1.36.99+build"),
			"list",
			`era "list" is in force: Kubernetes 1.36 is at least 1.34 and below 1.37`, "the last minor of an era",
		},
		{
			new("1.37"),
			"canonical",
			`era "canonical" is in force: Kubernetes 1.37 is at least 1.37`, "exactly at From",
		},
		{
			new("2.0.0"),
			"canonical",
			`era "canonical" is in force: Kubernetes 2.0 is at least 1.37`, "higher than everything",
		},
	} {
		era, why, err := three.Explain(test.version)
		require.NoError(t, err, test.reason)
		assert.Equal(t, test.era, era, test.reason)
		assert.Equal(t, test.text, why, test.reason)
		data, err := three.AdditionalData(test.version, nil, 0)
		require.NoError(t, err)
		assert.Equal(t, []string{era}, data, test.reason)
	}

	one := erasOf(t, eraOf("raw", ""))
	_, why, err := one.Explain(new("1.37.0"))
	require.NoError(t, err)
	assert.Equal(t, `era "raw" is in force: it is the only era`, why)
}

func TestErasNeverGuessAVersion(t *testing.T) {
	t.Parallel()
	eras := erasOf(t, eraOf("raw", ""), eraOf("list", "1.34"))
	for _, version := range []string{"", "latest", "1", "1.34.x", " 1.34.0"} {
		_, err := eras.AdditionalData(&version, nil, 0)
		assert.Equal(t, []string{"malformed-version"}, codesOf(err), version)
		era, why, err := eras.Explain(&version)
		assert.Equal(t, []string{"malformed-version"}, codesOf(err), version)
		assert.Empty(t, era+why)
	}
}

func TestErasWithoutNewEras(t *testing.T) {
	t.Parallel()
	for _, eras := range []*hash.Eras[int]{nil, {}} {
		_, err := eras.AdditionalData(hotupdate.AutoInPlaceUpdate, nil, nil, 0)
		assert.Equal(t, []string{"no-eras"}, codesOf(err))
		_, _, err = eras.Explain(hotupdate.AutoRollingUpdate, nil)
		assert.Equal(t, []string{"no-eras"}, codesOf(err))
	}
}

func TestErasWrapTheFunctionsError(t *testing.T) {
	t.Parallel()
	cause := errors.New("no volume")
	eras := erasOf(t, eraOf("raw", ""), hash.Era[int]{Name: "list", From: "1.34", Data: func([]byte, int) ([]string, error) {
		return []string{"half"}, cause
	}})
	data, err := eras.AdditionalData(new("1.34.0"), nil, 0)
	assert.Nil(t, data, "no half of the data")
	require.ErrorIs(t, err, cause)
	assert.Equal(t, []string{"era-failed"}, codesOf(err))
	assert.EqualError(t, err, `hotupdate: era 1 "list": its function failed (*errors.errorString)`)
}

func TestErasLeaveAPanicAlone(t *testing.T) {
	t.Parallel()
	eras := erasOf(t, hash.Era[int]{Name: "raw", Data: func([]byte, int) ([]string, error) { panic("a bug of the adopter") }})
	assert.PanicsWithValue(t, "a bug of the adopter", func() { _, _ = eras.AdditionalData(nil, nil, 0) })
}

func TestErasHandOnWhatTheyGet(t *testing.T) {
	t.Parallel()
	type call struct {
		raw  []byte
		pool int
	}
	var calls []call
	eras := erasOf(t, hash.Era[int]{Name: "raw", Data: func(raw []byte, pool int) ([]string, error) {
		calls = append(calls, call{raw, pool})
		return nil, nil
	}})
	for _, raw := range [][]byte{nil, {}, []byte("{}")} {
		data, err := eras.AdditionalData(nil, raw, 7)
		require.NoError(t, err)
		assert.Empty(t, data, "no string is an answer")
	}
	assert.Equal(
		t, []call{{nil, 7}, {[]byte{}, 7}, {[]byte("{}"), 7}}, calls, "nil stays nil: a pool without config is not one with an empty one",
	)
}

func TestErasDoNotFollowTheSliceTheyWereMadeOf(t *testing.T) {
	t.Parallel()
	list := []hash.Era[int]{eraOf("raw", ""), eraOf("list", "1.34")}
	eras := erasOf(t, list...)
	list[0] = eraOf("x", "")
	list[1] = eraOf("y", "1.0")
	eras2 := erasOf(t, list...)
	data, err := eras.AdditionalData(new("1.33.0"), nil, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"raw"}, data)
	data, err = eras2.AdditionalData(new("1.33.0"), nil, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"y"}, data)
}

// drawEras draws eras that begin at random minors of Kubernetes 1.
func drawEras(t *rapid.T) ([]hash.Era[int], []int) {
	minors := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 5, rapid.ID[int]).Draw(t, "minors")
	slices.Sort(minors)
	eras := []hash.Era[int]{eraOf("first", "")}
	for _, m := range minors {
		eras = append(eras, eraOf("from "+strconv.Itoa(m), "1."+strconv.Itoa(m)))
	}
	return eras, minors
}

func TestErasSwitchExactlyAtFrom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, minors := drawEras(t)
		eras := erasOf(t, list...)
		m := rapid.IntRange(0, 60).Draw(t, "minor")
		suffix := rapid.SampledFrom([]string{"", ".0", ".17", ".0-rc.1", ".0-alpha.0+x", "+y"}).Draw(t, "suffix")
		want := "first"
		for _, from := range minors {
			if from <= m {
				want = "from " + strconv.Itoa(from)
			}
		}
		data, err := eras.AdditionalData(new("1."+strconv.Itoa(m)+suffix), nil, 0)
		require.NoError(t, err)
		assert.Equal(t, []string{want}, data)
	})
}

// A new release adds a last era, at a minor that no pool has. No pool's strings change, even if the two releases hash
// the pools repeatedly in any order.
func TestErasDependOnNothingButPoolAndVersion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list, minors := drawEras(t)
		for i := range list {
			name := list[i].Name
			list[i].Data = func(raw []byte, pool int) ([]string, error) {
				return []string{name, string(raw), strconv.Itoa(pool)}, nil
			}
		}
		next := 61
		releases := []rollingEras[int]{
			erasOf(t, list...),
			erasOf(t, append(slices.Clip(list), eraOf("next", "1."+strconv.Itoa(next)))...),
		}
		type input struct {
			minor, pool int
			raw         string
		}
		seen := map[input][]string{}
		for range rapid.IntRange(1, 40).Draw(t, "looks") {
			in := input{
				rapid.SampledFrom(append([]int{0, 30, 60}, minors...)).Draw(t, "minor"),
				rapid.IntRange(0, 2).Draw(t, "pool"), rapid.SampledFrom([]string{"", "{}"}).Draw(t, "raw"),
			}
			release := rapid.IntRange(0, 1).Draw(t, "release")
			got, err := releases[release].AdditionalData(new("1."+strconv.Itoa(in.minor)+".0"), []byte(in.raw), in.pool)
			require.NoError(t, err)
			if before, ok := seen[in]; ok {
				assert.Equal(t, before, got, "release %d, %+v", release, in)
			}
			seen[in] = got
		}
	})
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	type config struct {
		Size *int              `json:"size,omitempty"`
		Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	}
	schema, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	encrypted := func(pool bool) []string { return []string{strconv.FormatBool(pool)} }
	empty, err := schema.HashRaw(nil)
	require.NoError(t, err)
	size, err := schema.HashRaw([]byte(`{"size":1}`))
	require.NoError(t, err)
	for _, test := range []struct {
		name   string
		raw    []byte
		want   hotupdate.Sum
		reason string
	}{
		{"nil", nil, empty, "a pool without config has the sum of {}"},
		{"empty", []byte{}, empty, "the same"},
		{"object", []byte(`{}`), empty, "the same"},
		{"first hot tag", []byte(`{"tags":{"a":"b"}}`), empty, "hot members change nothing, from no config at all, too"},
		{"size", []byte(`{ "tags": {}, "size": 1 }`), size, "white space, order and hot members change nothing"},
	} {
		data, err := hash.CanonicalData(schema, encrypted)(test.raw, true)
		require.NoError(t, err, test.name)
		assert.Equal(t, []string{test.want.String(), "true"}, data, "%s: %s", test.name, test.reason)
		data, err = hash.CanonicalData[bool](schema)(test.raw, true)
		require.NoError(t, err, test.name)
		assert.Equal(t, test.want.AdditionalData(), data, "without pool fields")
	}
	assert.NotEqual(t, empty, size)

	_, err = hash.CanonicalData[bool](schema)([]byte(`{"sise":1}`), true)
	assert.Equal(t, "unknown-member", fault.All(err)[0].Code)
}

// TestCanonicalOfNothing: what the function would miss is an error of the eras, and no panic later.
func TestCanonicalOfNothing(t *testing.T) {
	t.Parallel()
	schema, err := hotupdate.SchemaOf[struct{}]()
	require.NoError(t, err)
	some := func(bool) []string { return nil }
	_, err = newRolling([]hash.Era[bool]{
		{Name: "nil Schema", Data: hash.CanonicalData[bool](nil)},
		{Name: "zero Schema", From: "1.31", Data: hash.CanonicalData[bool](&hotupdate.Schema{})},
		{Name: "nil function", From: "1.32", Data: hash.CanonicalData[bool](schema, nil)},
		{Name: "some functions", From: "1.33", Data: hash.CanonicalData(schema, some, nil, some)},
		{Name: "right", From: "1.34", Data: hash.CanonicalData(schema, some)},
	})
	require.Len(t, fault.All(err), 4)
	for _, problem := range fault.All(err) {
		assert.Equal(t, "no-era-function", problem.Code)
		assert.Contains(t, problem.Error(), "hash.CanonicalData returns none for a Schema or function that is nil")
	}
}

// TestAdmissionNeedsTheSchemaOfTheEra: the newest Schema admits a change by which a pool in an era of an older Schema
// gets another name. The older Schema forbids it.
func TestAdmissionNeedsTheSchemaOfTheEra(t *testing.T) {
	t.Parallel()
	former, err := hotupdate.SchemaOf[struct {
		IOPS int `json:"iops"`
	}]()
	require.NoError(t, err)
	today, err := hotupdate.SchemaOf[struct {
		IOPS int `json:"iops" hotupdatable:"true"`
	}]()
	require.NoError(t, err)
	eras := erasOf(
		t, hash.Era[int]{Name: "former", Data: hash.CanonicalData[int](former)},
		hash.Era[int]{Name: "today", From: "1.37", Data: hash.CanonicalData[int](today)},
	)
	old := []byte(`{"iops":1}`)
	updated := []byte(`{"iops":2}`)
	for minor, schema := range map[string]*hotupdate.Schema{"1.36": former, "1.37": today} {
		before, err := eras.AdditionalData(&minor, old, 0)
		require.NoError(t, err)
		after, err := eras.AdditionalData(&minor, updated, 0)
		require.NoError(t, err)
		isRenamed := !slices.Equal(before, after)
		assert.Equal(t, minor == "1.36", isRenamed, minor)
		assert.Equal(t, isRenamed, len(schema.ValidateUpdateRaw(old, updated, hotupdate.AutoInPlaceUpdate, nil)) > 0, minor)
		changes, err := schema.DiffRaw(old, updated)
		require.NoError(t, err)
		assert.Equal(t, isRenamed, changes.Outcome(hotupdate.AutoRollingUpdate) == hotupdate.OutcomeRoll, minor)
		assert.Equal(t, isRenamed, len(changes.Warnings(hotupdate.AutoRollingUpdate, nil)) > 0, minor)
	}
	assert.Empty(t, today.ValidateUpdateRaw(old, updated, hotupdate.AutoInPlaceUpdate, nil), "the Schema knows no eras")
}
