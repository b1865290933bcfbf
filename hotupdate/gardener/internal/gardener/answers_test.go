package gardener_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardener"
	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// pair is a question to both: the Shoot before and after one or two edits.
type pair struct {
	id       string
	base     *base
	edits    []edit // with the kinds as the pair has them: those of the reverse for one that is undone
	old      object
	updated  object
	apply    string // the way of applying; empty for kubectl apply
	sent     object // what Gardener gets, if it is not the updated Shoot
	gardener verdicts
	plan     verdicts
	answer   gardenerplugin.Answer // of Gardener's code, in all landscapes

	isRefusedByExtension bool // by plan, see [planManifest.isRefusedForZones]
}

// way returns the way of applying.
func (p *pair) way() string { return cmp.Or(p.apply, "client") }

func (p *pair) String() string {
	var all []string
	for _, e := range p.edits {
		all = append(all, string(e.kind)+" "+e.String())
	}
	return p.base.name + ": " + strings.Join(all, "; ")
}

// effect is what a change does to machines, in the words of both.
type effect string

const (
	none          effect = "none"
	inPlace       effect = "in-place"
	roll          effect = "roll"
	gone          effect = "removed" // of plan: a pool is removed or renamed
	refused       effect = "refused"
	indeterminate effect = "indeterminate" // of plan; of Gardener: a mode of an admission plugin decides
	failed        effect = "error"
)

// verdicts are the answer of one side to a pair.
type verdicts struct {
	shoot effect            // the gravest of all
	pools map[string]effect // of those that are on both sides
	text  string            // why it is refused, or the error
	field string            // that is refused
	raw   json.RawMessage   // the part of plan's report

	mayBeRefused bool // some landscapes refuse what others admit
}

// askGardener answers all pairs by Gardener's code.
func askGardener(tb testing.TB, pairs []*pair) {
	tb.Helper()
	var wait sync.WaitGroup
	for half := range slices.Chunk(pairs, (len(pairs)+1)/2) {
		judge := newJudge(tb)
		bare, _, err := gardener.New(gardenerplugin.Setup{FormatVersion: gardenerplugin.FormatVersion})
		require.NoError(tb, err)
		wait.Go(func() {
			for _, p := range half {
				asked := judge
				if p.base.profile == "" {
					asked = bare
				}
				sent := p.sent
				if sent == nil {
					sent = p.updated
				}
				question := gardenerplugin.Question{ID: p.id, Old: mustJSON(p.old), New: mustJSON(sent), Apply: p.way()}
				p.answer = asked.Judge(question)
				p.gardener = p.ofGardener(p.answer)
			}
		})
	}
	wait.Wait()
}

func mustJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

var effectOfChange = map[gardenerplugin.Change]effect{
	gardenerplugin.NoChange: none, gardenerplugin.InPlace: inPlace, gardenerplugin.Roll: roll,
	gardenerplugin.Undecided: indeterminate,
}

func ofGardener(answer gardenerplugin.Answer) verdicts {
	if answer.Error != "" {
		return verdicts{shoot: failed, text: answer.Error}
	}
	// a landscape that refuses the change touches no machine, so those that admit it count
	v := ofOutcome(answer.Outcomes[0])
	for _, outcome := range answer.Outcomes[1:] {
		o := ofOutcome(outcome)
		switch {
		case o.shoot == refused:
			v.mayBeRefused = v.mayBeRefused || v.shoot != refused
		case v.shoot == refused:
			v = o
			v.mayBeRefused = true
		default:
			v.pools = differing(v.pools, o.pools)
			v.shoot = gravest(v.pools)
			v.text = strings.Join(answer.DependsOn, ", ")
		}
	}
	return v
}

func ofOutcome(outcome gardenerplugin.Outcome) verdicts {
	if len(outcome.Refusals) > 0 {
		first := outcome.Refusals[0]
		return verdicts{shoot: refused, text: first.By + ": " + first.Text, field: first.Field}
	}
	v := verdicts{pools: map[string]effect{}}
	for _, pool := range outcome.Pools {
		if pool.State == gardenerplugin.Kept {
			v.pools[pool.Name] = effectOfChange[pool.Change]
			v.text += pool.Because
		}
	}
	v.shoot = gravest(v.pools)
	return v
}

// gravest returns the gravest effect on pools, in the order of plan's verdicts.
func gravest(pools map[string]effect) effect {
	for _, e := range []effect{roll, indeterminate, inPlace} {
		if slices.Contains(slices.Collect(maps.Values(pools)), e) {
			return e
		}
	}
	return none
}

// differing marks the pools that differ between modes.
func differing(a, b map[string]effect) map[string]effect {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]effect{}
	}
	for name, e := range b {
		if known, is := a[name]; !is || known != e {
			all[name] = indeterminate
		}
	}
	return all
}

var buildPlan = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "hotupdate")
	if err != nil {
		return "", err
	}
	command := filepath.Join(folder, "hotupdate")
	build := exec.Command("go", "build", "-o", command, "./hotupdate/cmd/hotupdate")
	build.Dir = filepath.Join("..", "..", "..", "..")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return command, nil
})

// perRun is how many pairs plan gets in one call.
const perRun = 2500

// factsFile is the config file with the facts of the landscape.
const factsFile = "facts.yaml"

// askPlan answers all pairs by the command plan of this repository. The facts are the text of a config file.
func askPlan(tb testing.TB, pairs []*pair, facts string) {
	tb.Helper()
	command, err := buildPlan()
	require.NoError(tb, err)
	byProfile := map[string][]*pair{}
	for _, p := range pairs {
		byProfile[p.base.profile] = append(byProfile[p.base.profile], p)
	}
	for _, name := range slices.Sorted(maps.Keys(byProfile)) {
		for part := range slices.Chunk(byProfile[name], perRun) {
			folder := tb.TempDir()
			profile := filepath.Join(folder, "profile.yaml")
			if name != "" {
				require.NoError(tb, os.WriteFile(profile, toJSON(tb, profiles(tb)[name]), 0o600))
			}
			if facts == "" {
				facts = "formatVersion: 1\n"
			}
			require.NoError(tb, os.WriteFile(filepath.Join(folder, factsFile), []byte(facts), 0o600))
			for _, side := range []string{"old", "new"} {
				require.NoError(tb, os.Mkdir(filepath.Join(folder, side), 0o700))
			}
			for _, p := range part {
				p.plan = verdicts{}
				p.write(tb, folder)
			}
			for runPlan(tb, command, folder, part) {
			}
		}
	}
}

// write writes the files of a pair. The Shoot has the pair's name, by which plan's report is found.
func (p *pair) write(tb testing.TB, folder string) {
	tb.Helper()
	for side, shoot := range map[string]object{"old": p.old, "new": p.updated} {
		named := maps.Clone(shoot)
		metadata, _ := shoot["metadata"].(object)
		metadata = maps.Clone(metadata)
		metadata["name"] = p.id
		named["metadata"] = metadata
		require.NoError(tb, os.WriteFile(filepath.Join(folder, side, p.id+".json"), toJSON(tb, named), 0o600))
	}
}

// planReport is the part of plan's report that counts.
type planReport struct {
	Manifests []json.RawMessage `json:"manifests"`
}

type planManifest struct {
	Name    string       `json:"name"`
	Verdict string       `json:"verdict"`
	Changes []planChange `json:"changes"`
	Rules   []planRule   `json:"rules"`
	Pools   []struct {
		Name       string       `json:"name"`
		FormerName string       `json:"formerName"`
		State      string       `json:"state"`
		Verdict    string       `json:"verdict"`
		Also       []string     `json:"also"` // beside another number of machines
		Changes    []planChange `json:"changes"`
		Rules      []planRule   `json:"rules"`
	} `json:"pools"`
}

type planChange struct {
	Path    string    `json:"path"`
	Verdict string    `json:"verdict"`
	Decides bool      `json:"decides"`
	Origin  string    `json:"origin"`
	Rule    *planRule `json:"rule"`
}

type planRule struct {
	Text string `json:"text"`
}

var effectOfVerdict = map[string]effect{
	"none": none, "hot-update": none, "in-place-update": inPlace, "added": none,
	"machines-added": none, "machines-may-be-deleted": none, "all-machines-may-be-deleted": none, "machines-deleted": none,
	"indeterminate": indeterminate, "roll": roll, "forbidden": refused, "removed": gone, "renamed": gone,
}

// planError is a line of plan's errors, with the name of the pair.
var planError = regexp.MustCompile(`(?m)(?:old|new)/(e\d+)\.json(?::\d+)?: (.*)$`)

// runPlan calls plan for the pairs without an answer, and reports whether it has to be called again:
// an error about one pair leaves the others without an answer.
func runPlan(tb testing.TB, command, folder string, pairs []*pair) (again bool) {
	tb.Helper()
	arguments := []string{
		"plan", "--gardener", "none", "--apply", pairs[0].way(), "--config", factsFile, "--all", "--output", "json", "old", "new",
	}
	if pairs[0].base.profile != "" {
		arguments = append(arguments, "--cloudprofile", "profile.yaml")
	}
	run := exec.Command(command, arguments...)
	run.Dir = folder
	var out, problems bytes.Buffer
	run.Stdout = &out
	run.Stderr = &problems
	failure := run.Run()
	byID := map[string]*pair{}
	for _, p := range pairs {
		byID[p.id] = p
	}
	for _, problem := range planError.FindAllStringSubmatch(problems.String(), -1) {
		p := byID[problem[1]]
		require.NotNil(tb, p, problem[0])
		if p.plan.shoot == "" {
			p.plan = verdicts{shoot: failed, text: problem[2]}
			again = true
			for _, side := range []string{"old", "new"} {
				require.NoError(tb, os.Remove(filepath.Join(folder, side, p.id+".json")))
			}
		}
	}
	if out.Len() == 0 {
		require.True(tb, again, "plan gives no answer: %v %s", failure, problems.String())
		return true
	}
	var report planReport
	require.NoError(tb, json.Unmarshal(out.Bytes(), &report))
	for _, raw := range report.Manifests {
		var m planManifest
		require.NoError(tb, json.Unmarshal(raw, &m))
		p := byID[m.Name]
		p.plan = ofPlan(tb, m, raw)
		if m.isRefusedForZones() && p.gardener.shoot != refused {
			p.isRefusedByExtension = true
			p.plan.shoot = p.gardener.shoot
			p.plan.pools = p.gardener.pools
		}
	}
	for _, p := range pairs {
		require.NotEmpty(tb, p.plan.shoot, "plan does not answer %s", p)
	}
	return false
}

func ofPlan(tb testing.TB, m planManifest, raw json.RawMessage) verdicts {
	tb.Helper()
	v := verdicts{shoot: effectOfVerdict[m.Verdict], pools: map[string]effect{}, raw: raw}
	require.NotEmpty(tb, v.shoot, m.Verdict)
	for _, pool := range m.Pools {
		if pool.State != "kept" {
			continue
		}
		touched := effectOfVerdict[pool.Verdict]
		require.NotEmpty(tb, touched, pool.Verdict)
		for _, also := range pool.Also {
			require.NotEmpty(tb, effectOfVerdict[also], also)
			touched = graver(touched, effectOfVerdict[also])
		}
		v.pools[pool.Name] = touched
		v.shoot = graver(v.shoot, touched)
	}
	return v
}

// graver returns the graver effect on machines that stay.
func graver(a, b effect) effect {
	order := []effect{none, inPlace, indeterminate, roll, gone, refused}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// isRefusedForZones reports whether plan refuses a change of zones, as the admission of the extensions does.
// Gardener's code admits it, and knows no extension.
func (m *planManifest) isRefusedForZones() bool {
	for _, pool := range m.Pools {
		if slices.ContainsFunc(pool.Rules, func(r planRule) bool { return r.Text == zonesRefused }) {
			return true
		}
	}
	return false
}

// zonesRefused is the text of plan's rule.
const zonesRefused = "the extension refuses every change of zones but appended ones"

// ofGardener returns the answer of Gardener's code. Another key replaces no machine of a pool that has none before the
// change, or keeps none: that of a Shoot that is hibernated, or a pool whose maximum is 0.
func (p *pair) ofGardener(answer gardenerplugin.Answer) verdicts {
	v := ofGardener(answer)
	needMachines := []effect{roll, inPlace, indeterminate}
	isHibernating := isHibernated(p.old) || isHibernated(p.updated)
	empty := slices.Concat(emptyPools(p.old), emptyPools(p.updated))
	for name, touched := range v.pools {
		hasNone := isHibernating || slices.Contains(empty, name)
		if hasNone && slices.Contains(needMachines, touched) {
			v.pools[name] = none
		}
	}
	if slices.Contains(needMachines, v.shoot) {
		v.shoot = gravest(v.pools)
	}
	return v
}

// emptyPools returns the names of the pools whose maximum is 0.
func emptyPools(shoot object) (names []string) {
	spec, _ := shoot["spec"].(object)
	provider, _ := spec["provider"].(object)
	workers, _ := provider["workers"].([]any)
	for _, one := range workers {
		worker, _ := one.(object)
		name, _ := worker["name"].(string)
		if fmt.Sprint(worker["maximum"]) == "0" {
			names = append(names, name)
		}
	}
	return names
}

func isHibernated(shoot object) bool {
	spec, _ := shoot["spec"].(object)
	hibernation, _ := spec["hibernation"].(object)
	return hibernation["enabled"] == true
}
