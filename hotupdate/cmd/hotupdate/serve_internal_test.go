package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/internal/extensions"
)

// judgingBy is what serve judges by with some flags.
func judgingBy(t *testing.T, change func(*call)) (*judging, error) {
	t.Helper()
	c := &call{
		std: streams{providers: extensions.All(), in: strings.NewReader(""), err: io.Discard}, isGiven: func(string) bool { return false },
	}
	c.configFile = "none"
	change(c)
	require.NoError(t, c.configure())
	return c.judging()
}

func byDefault(*call) {}

// stored is a Shoot as an API server has it. An edit changes it.
func stored(t *testing.T, edits ...func(shoot map[string]any)) []byte {
	t.Helper()
	text, err := os.ReadFile("internal/pool/testdata/pairs/gcp.yaml")
	require.NoError(t, err)
	var shoot map[string]any
	require.NoError(t, yaml.Unmarshal(text, &shoot))
	for _, edit := range edits {
		edit(shoot)
	}
	text, err = json.Marshal(shoot)
	require.NoError(t, err)
	return text
}

// setting sets the value at a path. A number is an index of a list.
func setting(value any, path ...any) func(map[string]any) {
	return func(shoot map[string]any) {
		var at any = shoot
		for i, step := range path {
			isLast := i == len(path)-1
			switch step := step.(type) {
			case int:
				at = at.([]any)[step]
			case string:
				object := at.(map[string]any)
				if isLast {
					object[step] = value
					return
				}
				if object[step] == nil {
					object[step] = map[string]any{}
				}
				at = object[step]
			}
		}
	}
}

func worker(i int, path ...any) []any {
	return append([]any{"spec", "provider", "workers", i}, path...)
}

// TestServeWarns: what who changes a Shoot is told.
func TestServeWarns(t *testing.T) {
	t.Parallel()
	j, err := judgingBy(t, byDefault)
	require.NoError(t, err)
	operation := func(state string) func(map[string]any) {
		return setting(map[string]any{"state": state, "type": "Reconcile"}, "status", "lastOperation")
	}
	generation := setting(12, "status", "observedGeneration")
	later := setting(13, "metadata", "generation")
	succeeded := operation("Succeeded")
	confined := setting(true, "spec", "maintenance", "confineSpecUpdateRollout")
	size := setting("100Gi", worker(0, "volume", "size")...)
	many := func(names ...string) func(map[string]any) {
		return func(shoot map[string]any) {
			var pools []any
			for _, name := range names {
				var copied map[string]any
				text, _ := json.Marshal(shoot["spec"].(map[string]any)["provider"].(map[string]any)["workers"].([]any)[0])
				require.NoError(t, json.Unmarshal(text, &copied))
				copied["name"] = name
				pools = append(pools, copied)
			}
			shoot["spec"].(map[string]any)["provider"].(map[string]any)["workers"] = pools
		}
	}
	type edits = []func(map[string]any)
	for name, test := range map[string]struct {
		old, updated edits
		want         []string
	}{
		"nothing":            {nil, nil, nil},
		"status":             {nil, edits{succeeded}, nil},
		"a roll":             {nil, edits{size}, []string{`pool general: roll, up to 6 machines: volume.size "50Gi" -> "100Gi"`}},
		"machines are added": {nil, edits{setting(20, worker(0, "maximum")...)}, nil},
		"machines are deleted": {
			nil,
			edits{setting(2, worker(0, "maximum")...), setting(1, worker(0, "minimum")...)},
			[]string{"pool general: machines-may-be-deleted, up to 4 machines: maximum 6 -> 2"},
		},
		"a pool is added":   {edits{many("a")}, edits{many("a", "b")}, nil},
		"a pool is removed": {edits{many("a", "b")}, edits{many("b")}, []string{"pool a: removed, up to 6 machines"}},
		"a pool is renamed": {edits{many("a")}, edits{many("b")}, []string{"pool b: renamed, up to 6 machines: formerly a"}},
		"a pool is renamed, with another field that it could not change": {
			edits{setting("ManualInPlaceUpdate", worker(0, "updateStrategy")...)},
			edits{
				setting("ManualInPlaceUpdate", worker(0, "updateStrategy")...), setting("b", worker(0, "name")...),
				setting("a", worker(0, "volume", "name")...),
			},
			[]string{
				"pool b: indeterminate (renamed or forbidden), up to 6 machines: formerly general, " +
					"not known: whether the machine image can be updated in place",
			},
		},
		"several pools": {
			edits{many("a", "b", "c")},
			edits{many("a", "b", "c"), size, setting("100Gi", worker(1, "volume", "size")...)},
			[]string{"2 pools roll, up to 12 machines", `pools a and b: roll, up to 12 machines: volume.size "50Gi" -> "100Gi"`},
		},
		"the Kubernetes version": {
			nil,
			edits{setting("1.35.0", "spec", "kubernetes", "version")},
			[]string{`pool general: roll, up to 6 machines: spec.kubernetes.version "1.34.2" -> "1.35.0"`},
		},
		"a waiting change": {
			edits{succeeded, generation, confined},
			edits{succeeded, generation, later, setting(false, "spec", "maintenance", "confineSpecUpdateRollout")},
			[]string{"pool general: indeterminate, up to 6 machines: not known: whether earlier changes of the Shoot wait"},
		},
		"reconcile was requested": {
			edits{succeeded, generation, confined},
			edits{succeeded, generation, confined, later},
			[]string{"pool general: indeterminate, up to 6 machines: not known: whether earlier changes of the Shoot wait"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judged, err := j.judge(t.Context(), stored(t, test.old...), stored(t, append(slices.Clone(test.old), test.updated...)...))
			require.NoError(t, err)
			assert.Equal(t, test.want, judged.Warnings)
			assert.Empty(t, judged.Contrary)
		})
	}
}

// TestServeTellsRepeatedKeys: what changes a provider config is told of an element whose key an element before it has,
// unless the old object has it, too. Gardener refuses such elements only in lists of its own.
func TestServeTellsRepeatedKeys(t *testing.T) {
	t.Parallel()
	j, err := judgingBy(t, byDefault)
	require.NoError(t, err)
	volumes := func(names ...string) func(map[string]any) {
		all := []any{}
		for _, name := range names {
			all = append(all, map[string]any{"name": name})
		}
		return setting(map[string]any{
			"apiVersion": "gcp.provider.extensions.gardener.cloud/v1alpha1", "kind": "WorkerConfig", "dataVolumes": all,
		},
			worker(0, "providerConfig")...)
	}
	label := setting("b", worker(0, "labels", "a")...)
	told := `pool "general": providerConfig.dataVolumes[1]: has the name of an element before it; give each element a name of its own`
	for name, test := range map[string]struct {
		old, updated []func(map[string]any)
		want         int
	}{
		"added":       {[]func(map[string]any){volumes("a")}, []func(map[string]any){volumes("a", "a")}, 1},
		"there":       {[]func(map[string]any){volumes("a", "a")}, []func(map[string]any){volumes("a", "a"), label}, 0},
		"no repeated": {[]func(map[string]any){volumes("a")}, []func(map[string]any){volumes("a", "b")}, 0},
	} {
		judged, err := j.judge(t.Context(), stored(t, test.old...), stored(t, test.updated...))
		require.NoError(t, err, name)
		assert.Equal(t, test.want, strings.Count(strings.Join(judged.Warnings, "\n")+"\n", told+"\n"), "%s: %q", name, judged.Warnings)
	}
}

// TestServeRefusals: a change that the API server of Gardener refuses has not come here. One that an extension refuses may.
func TestServeRefusals(t *testing.T) {
	t.Parallel()
	j, err := judgingBy(t, byDefault)
	require.NoError(t, err)
	inPlace := setting("AutoInPlaceUpdate", worker(0, "updateStrategy")...)
	judged, err := j.judge(t.Context(), stored(t), stored(t, inPlace))
	require.NoError(t, err)
	assert.NotEmpty(t, judged.Contrary, "a strategy cannot be switched")
	for name, change := range map[string]func(map[string]any){
		"the type":       setting("n2-standard-8", worker(0, "machine", "type")...),
		"the size":       setting("100Gi", worker(0, "volume", "size")...),
		"the encryption": setting(true, worker(0, "volume", "encrypted")...),
	} {
		judged, err = j.judge(t.Context(), stored(t, inPlace), stored(t, inPlace, change))
		require.NoError(t, err, name)
		assert.Equal(t, verdict.FixedInPlace.Text, judged.Contrary, name)
	}
	judged, err = j.judge(
		t.Context(), stored(t, inPlace), stored(t, inPlace, setting("AMD Milan", worker(0, "providerConfig", "minCpuPlatform")...)),
	)
	require.NoError(t, err)
	assert.Empty(t, judged.Contrary)
	require.NotEmpty(t, judged.Warnings)
	assert.Contains(t, judged.Warnings[0], "forbidden: ")
}

// TestServeGate: --refuse has the words and the rule of --fail-on.
func TestServeGate(t *testing.T) {
	t.Parallel()
	confined := setting(true, "spec", "maintenance", "confineSpecUpdateRollout")
	released := setting(false, "spec", "maintenance", "confineSpecUpdateRollout")
	size := setting("100Gi", worker(0, "volume", "size")...)
	for name, test := range map[string]struct {
		refuse string
		passes bool
		old    func(map[string]any)
		change func(map[string]any)
		want   bool
	}{
		"a roll":                                 {"roll", false, confined, size, true},
		"another verdict":                        {"removed", false, confined, size, false},
		"no flag":                                {"", false, confined, size, false},
		"an earlier change may roll":             {"roll", false, confined, released, true},
		"an earlier change may roll, and passes": {"roll", true, confined, released, false},
		"machines are added":                     {"roll", false, confined, setting(20, worker(0, "maximum")...), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, err := judgingBy(
				t, func(c *call) { c.serve.refuse = strings.FieldsFunc(test.refuse, func(r rune) bool { return r == ',' }) },
			)
			require.NoError(t, err)
			j.gate.PassesUndecided = test.passes
			judged, err := j.judge(t.Context(), stored(t, test.old), stored(t, test.old, test.change))
			require.NoError(t, err)
			assert.Equal(t, test.want, judged.IsStopped)
		})
	}
}

const poolCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.a.example}
spec:
  group: a.example
  names: {kind: Pool, plural: pools}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: string}
              token: {type: string}
              hint: {type: string}
              labels: {type: object, additionalProperties: {type: string}}
`

// writeCRD writes a CRD and the classes of its fields.
func writeCRD(t *testing.T, classes string) func(*call) {
	t.Helper()
	dir := t.TempDir()
	crd := filepath.Join(dir, "crd.yaml")
	file := filepath.Join(dir, "classes.yaml")
	require.NoError(t, os.WriteFile(crd, []byte(poolCRD), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(classes), 0o600))
	return func(c *call) {
		c.crd = crd
		c.classes = file
	}
}

func poolWith(spec string) []byte {
	return fmt.Appendf(
		nil, `{"apiVersion":"a.example/v1","kind":"Pool","metadata":{"name":"web","namespace":"dev","uid":"u","generation":4},"spec":%s}`,
		spec,
	)
}

// TestServeCustomResources: resources of --crd are judged by their classes. No sensitive value is told.
func TestServeCustomResources(t *testing.T) {
	t.Parallel()
	j, err := judgingBy(t, writeCRD(t, "token: false,sensitive\nhint: ignore\nlabels: \"true\"\n"))
	require.NoError(t, err)
	old := poolWith(`{"size":"50Gi","token":"hunter2","hint":"a","labels":{"a":"b"}}`)
	for name, test := range map[string]struct {
		spec string
		want []string
	}{
		"the size": {
			`{"size":"100Gi","token":"hunter2","hint":"a","labels":{"a":"b"}}`, []string{`Pool dev/web: roll: size "50Gi" -> "100Gi"`},
		},
		"a secret": {`{"size":"50Gi","token":"hunter3","hint":"a","labels":{"a":"b"}}`, []string{"Pool dev/web: roll: token (sensitive)"}},
		"a hint":   {`{"size":"50Gi","token":"hunter2","hint":"b","labels":{"a":"b"}}`, nil},
		"a label": {
			`{"size":"50Gi","token":"hunter2","hint":"a","labels":{"a":"b","c":"d"}}`,
			[]string{`Pool dev/web: hot-update: labels[c] "d" added`},
		},
		"a removal": {`{"size":"50Gi","token":"hunter2","hint":"a"}`, []string{`Pool dev/web: hot-update: labels[a] "b" removed`}},
	} {
		judged, err := j.judge(t.Context(), old, poolWith(test.spec))
		require.NoError(t, err, name)
		assert.Equal(t, test.want, judged.Warnings, name)
		assert.NotContains(t, strings.Join(judged.Warnings, ""), "hunter")
	}
	_, err = j.judge(
		t.Context(), []byte(`{"apiVersion":"b.example/v1","kind":"Other"}`), []byte(`{"apiVersion":"b.example/v1","kind":"Other"}`),
	)
	require.EqualError(t, err, "oldObject: is neither a Shoot nor a resource of --crd")
	_, err = j.judge(
		t.Context(), old, []byte(`{"apiVersion":"a.example/v1","kind":"Pool","metadata":{},"spec":{"size":7,"token":"hunter2"}}`),
	)
	require.ErrorContains(t, err, "object: spec.size: ")
	assert.NotContains(t, err.Error(), "hunter")
}

// TestServeStartsOrNot: everything that flags name is compiled before the server starts.
func TestServeStartsOrNot(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*call)
		want   string
	}{
		"a class of no field":     {writeCRD(t, "sise: \"true\"\n"), "sise"},
		"a class that is no word": {writeCRD(t, "size: ture\n"), "ture"},
		"a missing CRD":           {func(c *call) { c.crd = "missing.yaml" }, "missing.yaml"},
		"a missing CloudProfile":  {func(c *call) { c.cloudProfile = "missing.yaml" }, "missing.yaml"},
		"missing eras":            {func(c *call) { c.eras = "missing.json" }, "missing.json"},
	} {
		_, err := judgingBy(t, test.change)
		assert.ErrorContains(t, err, test.want, name)
	}
}

// TestServeIsInterrupted: a comparison ends with its context.
func TestServeIsInterrupted(t *testing.T) {
	t.Parallel()
	j, err := judgingBy(t, byDefault)
	require.NoError(t, err)
	ctx := &countdown{Context: t.Context()}
	_, err = j.judge(ctx, stored(t), stored(t, setting("100Gi", worker(0, "volume", "size")...)))
	require.NoError(t, err)
	asked := ctx.asked
	require.Greater(t, asked, 3)
	for left := range asked {
		_, err = j.judge(&countdown{t.Context(), left + 1, 0}, stored(t), stored(t, setting("100Gi", worker(0, "volume", "size")...)))
		require.Error(t, err, "%d of %d", left, asked)
	}
}

// countdown is a context that has ended when it is asked for the n-th time; 0 means never. It counts how often it is asked.
type countdown struct {
	context.Context

	n, asked int
}

func (c *countdown) Err() error {
	c.asked++
	if c.n > 0 && c.asked >= c.n {
		return context.DeadlineExceeded
	}
	return nil
}

// TestServeIsLinear: twice the members cost about twice as much.
func TestServeIsLinear(t *testing.T) {
	j, err := judgingBy(t, writeCRD(t, "labels: \"true\"\n"))
	require.NoError(t, err)
	comparing := func(n int) uint64 {
		of := func(value string) []byte {
			var all []string
			for i := range n {
				all = append(all, fmt.Sprintf(`"l%06d":%q`, i, value))
			}
			return poolWith(`{"labels":{` + strings.Join(all, ",") + `}}`)
		}
		old := of("a")
		updated := of("b")
		return bytesOf(func() {
			judged, err := j.judge(t.Context(), old, updated)
			require.NoError(t, err)
			require.NotEmpty(t, judged.Warnings)
		})
	}
	require.Less(t, comparing(4000), 3*comparing(2000))
	pools := func(n int) uint64 {
		old := stored(t, func(shoot map[string]any) {
			provider := shoot["spec"].(map[string]any)["provider"].(map[string]any)
			first := provider["workers"].([]any)[0].(map[string]any)
			var all []any
			for i := range n {
				copied := maps.Clone(first)
				copied["name"] = fmt.Sprintf("p%d", i)
				all = append(all, copied)
			}
			provider["workers"] = all
		})
		updated := []byte(strings.ReplaceAll(string(old), "50Gi", "60Gi"))
		return bytesOf(func() {
			judged, err := j.judge(t.Context(), old, updated)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%d pools roll, up to %d machines", n, 6*n), strings.ReplaceAll(judged.Warnings[0], ",0", "0"))
		})
	}
	require.Less(t, pools(80), 3*pools(40))
}

// bytesOf returns how many bytes a call allocates once it has run before.
func bytesOf(call func()) uint64 {
	call()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestServeInParallel: reviews of Shoots and of custom resources share all that is compiled. The race detector watches.
func TestServeInParallel(t *testing.T) {
	t.Parallel()
	j, err := judgingBy(t, writeCRD(t, "labels: \"true\"\n"))
	require.NoError(t, err)
	size := setting("100Gi", worker(0, "volume", "size")...)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			old := stored(t)
			updated := stored(t, size)
			if i%2 == 0 {
				old = poolWith(`{"size":"1"}`)
				updated = poolWith(`{"size":"2"}`)
			}
			judged, err := j.judge(t.Context(), old, updated)
			if assert.NoError(t, err) {
				assert.Equal(t, "roll", judged.Verdict)
			}
		})
	}
	group.Wait()
}

// TestCloudProfilesAreReadAgain: the file of --cloudprofile is read when it changes, and every minute. While it cannot
// be read, what was read before stays, and the log says so.
func TestCloudProfilesAreReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cloudprofile.yaml")
	profile, err := os.ReadFile("internal/pool/testdata/pairs/cloudprofile.yaml")
	require.NoError(t, err)
	write := func(text string) {
		require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(file+".new", file))
	}
	write(string(profile))
	synctest.Test(t, func(t *testing.T) {
		var reading *call
		j, err := judgingBy(t, func(c *call) {
			c.cloudProfile = file
			reading = c
		})
		require.NoError(t, err)
		var log strings.Builder
		var reads atomic.Int32
		counted := func() (*side.Landscape, error) {
			reads.Add(1)
			return reading.landscape()
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			j.keep(ctx, landscapeFile{counted, file}, slog.New(slog.NewJSONHandler(&log, nil)))
		}()
		pass := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		known := func() int { return len(j.landscape.Load().CloudProfiles) }
		const both = "%s\n---\n%s"
		pass(landscapeLook)
		require.Equal(t, 1, known())
		write(fmt.Sprintf(both, profile, profile))
		pass(landscapeLook)
		assert.Equal(t, 2, known(), "a change is seen at once")
		before := reads.Load()
		pass(landscapeAge - landscapeLook)
		assert.Equal(t, before, reads.Load(), "the same file is not read")
		pass(landscapeLook)
		assert.Equal(t, before+1, reads.Load(), "before the minute is over")
		write("kind: [")
		pass(landscapeLook)
		assert.Equal(t, 2, known(), "of what was read before")
		require.NoError(t, os.Remove(file))
		pass(landscapeLook)
		assert.Equal(t, 2, strings.Count(log.String(), "the former ones stay"), log.String())
		write(string(profile))
		pass(landscapeLook)
		assert.Equal(t, 1, known())
		stop()
		<-ended
	})
}
