package gardener_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// updateApplies writes the records that the tests of hotupdate plan read.
var updateApplies = flag.Bool("update-applies", false, "write "+recordsFile)

// recordsFile has what kubectl and an API server made of manifests; the package beside it computes that.
const recordsFile = "../../../cmd/hotupdate/internal/apply/testdata/applies.json.gz"

// records are Shoots of a cluster, manifests, and what becomes of the Shoots when the manifests are applied.
type records struct {
	Source string `json:"source"`
	// Printed are the members that Gardener's types print although they are not set.
	Printed   []string          `json:"printed"`
	Clusters  map[string]object `json:"clusters"`
	Manifests map[string]object `json:"manifests"`
	Applies   []record          `json:"applies"`
}

const (
	sourceOfObjects = "Written by go test -run TestApplies ./internal/gardener -update-applies in hotupdate/gardener: " +
		"kubectl v1.36 applied manifests on an API server with Gardener's types of v1.150."
	sourceOfRecords = sourceOfObjects +
		" A result is a JSON merge patch of the cluster's Shoot, before Gardener fills in anything."
)

// record is a manifest that is applied to the Shoot of a cluster.
type record struct {
	Cluster  string `json:"cluster"`
	Manifest string `json:"manifest"`
	Way      string `json:"way"`
	// Result is what becomes of the Shoot, without what the API server sets.
	Result json.RawMessage `json:"result,omitempty"`
	// Fails says that kubectl or the API server fails.
	Fails string `json:"fails,omitempty"`
	// Conflicts are the fields that another manager owns, each with the manager.
	Conflicts []string `json:"conflicts,omitempty"`

	id string // of the Shoot on the server
}

// firsts are the ways in which a Shoot gets into the cluster, before another manager changes it.
var firsts = map[string][][]string{
	"client":   {{"apply"}},
	"flux":     {{"apply", "--server-side", "--field-manager=flux"}},
	"kubectl":  {{"apply", "--server-side"}},
	"created":  {{"create"}},
	"migrated": {{"apply"}, {"apply", "--server-side", "--field-manager=flux", "--force-conflicts"}},
}

// seconds are the ways in which a manifest is applied to it, by their names in hotupdate plan.
var seconds = map[string][]string{
	"client":         {"apply"},
	"server=kubectl": {"apply", "--server-side", "--force-conflicts"},
	"server=flux":    {"apply", "--server-side", "--force-conflicts", "--field-manager=flux"},
	"replace":        {"replace"},
}

// editsOfApplies are edits of the first manifest that a user may make.
func editsOfApplies(former object) map[string]object {
	workers := func(change func(all []any) []any) object {
		spec, _ := former["spec"].(object)
		provider, _ := spec["provider"].(object)
		all, _ := provider["workers"].([]any)
		return with(former, change(slices.Clone(all)), "spec", "provider", "workers")
	}
	pool := func(i int, path ...any) []any { return append([]any{"spec", "provider", "workers", i}, path...) }
	number := func(text string) json.Number { return json.Number(text) }
	another := object{
		"name": "three", "minimum": number("1"), "maximum": number("1"), "machine": object{"type": "m5.large"},
		"volume": object{"type": "gp3", "size": "50Gi"}, "zones": []any{"eu-central-1a"},
	}
	bare := without(
		without(without(former, "spec", "kubernetes", "kubelet"), "spec", "kubernetes", "kubeProxy"), "spec", "systemComponents",
	)
	return map[string]object{
		"nothing":                          former,
		"no cpuManagerPolicy":              without(former, "spec", "kubernetes", "kubelet", "cpuManagerPolicy"),
		"no kubelet":                       without(former, "spec", "kubernetes", "kubelet"),
		"no IPVS":                          without(former, "spec", "kubernetes", "kubeProxy"),
		"no node-local DNS":                without(former, "spec", "systemComponents"),
		"IPVS and node-local DNS are gone": bare,
		"kubeProxy is null":                with(former, nil, "spec", "kubernetes", "kubeProxy"),
		"cpuManagerPolicy is null":         with(former, nil, "spec", "kubernetes", "kubelet", "cpuManagerPolicy"),
		"kubelet is empty":                 with(former, object{}, "spec", "kubernetes", "kubelet"),
		"no purpose":                       without(former, "spec", "purpose"),
		"another purpose":                  with(former, "production", "spec", "purpose"),
		"the purpose of the dashboard":     with(former, "development", "spec", "purpose"),
		"no label":                         without(former, "metadata", "labels"),
		"another label":                    with(former, "b", "metadata", "labels", "team"),
		"a pool is removed":                workers(func(all []any) []any { return all[:1] }),
		"the first pool is removed":        workers(func(all []any) []any { return all[1:] }),
		"a pool is added":                  workers(func(all []any) []any { return append(all, another) }),
		"a pool is added in front":         workers(func(all []any) []any { return append([]any{another}, all...) }),
		"the pools are reordered":          workers(func(all []any) []any { slices.Reverse(all); return all }),
		"a pool is renamed":                with(former, "other", pool(1, "name")...),
		"a pool has the dashboard's name":  with(former, "dash", pool(1, "name")...),
		"no pools":                         with(former, []any{}, "spec", "provider", "workers"),
		"the pools are null":               with(former, nil, "spec", "provider", "workers"),
		"no kubelet of a pool":             without(former, pool(0, "kubernetes")...),
		"a pool's kubelet is null":         with(former, nil, pool(0, "kubernetes", "kubelet")...),
		"no volume of a pool":              without(former, pool(0, "volume")...),
		"no image of a pool":               without(former, pool(0, "machine", "image")...),
		"an image for the pool without one": with(
			former, object{"name": "gardenlinux", "version": "1443.8.0"}, pool(1, "machine", "image")...,
		),
		"a zone is removed":       with(former, []any{"eu-central-1b"}, pool(0, "zones")...),
		"the zones are reordered": with(former, []any{"eu-central-1b", "eu-central-1a"}, pool(0, "zones")...),
		"a zone is added":         with(former, []any{"eu-central-1a", "eu-central-1b"}, pool(1, "zones")...),
		"a taint is removed": with(
			former, []any{object{"key": "b", "value": "z", "effect": "NoExecute"}}, pool(0, "taints")...,
		),
		"a taint differs": with(former, "w", pool(0, "taints", 0, "value")...),
		"no taints":       without(former, pool(0, "taints")...),
		"a data volume is removed": with(
			former, []any{object{"name": "b", "type": "gp3", "size": "30Gi"}}, pool(0, "dataVolumes")...,
		),
		"a data volume differs":                     with(former, "40Gi", pool(0, "dataVolumes", 1, "size")...),
		"no data volumes":                           without(former, pool(0, "dataVolumes")...),
		"a number in a provider config":             with(former, number("3500"), pool(0, "providerConfig", "volume", "iops")...),
		"a list in a provider config":               with(former, []any{}, pool(0, "providerConfig", "dataVolumes")...),
		"an object of a provider config is removed": without(former, pool(0, "providerConfig", "volume")...),
		"a scalar is added to a provider config":    with(former, true, pool(1, "providerConfig", "isolated")...),
		"no provider config":                        without(former, pool(0, "providerConfig")...),
		"a provider config is null":                 with(former, nil, pool(0, "providerConfig")...),
		"a scalar of the network's config":          with(former, "bird", "spec", "networking", "providerConfig", "backend"),
		"a zone of the infrastructure": with(
			former, "10.250.120.0/22", "spec", "provider", "infrastructureConfig", "networks", "zones", 1, "internal",
		),
		"another kind of provider config": with(former, object{
			"apiVersion": "aws.provider.extensions.gardener.cloud/v1alpha1", "kind": "WorkerConfig",
		}, pool(1, "providerConfig")...),
		"the dashboard's pool, too": workers(func(all []any) []any {
			return append(all, with(with(another, "dash", "name"), "m5.xlarge", "machine", "type"))
		}),
		"a value and a provider config": with(with(former, number("3500"), pool(0, "providerConfig", "volume", "iops")...),
			number("5"), pool(0, "maximum")...),
		"a toleration is removed":     with(former, []any{object{"key": "b"}}, "spec", "tolerations"),
		"a runtimeConfig is removed":  with(former, object{}, "spec", "kubernetes", "kubeAPIServer", "runtimeConfig"),
		"an audience is added":        with(former, []any{"foo", "bar"}, "spec", "kubernetes", "kubeAPIServer", "apiAudiences"),
		"an extension is disabled":    with(former, true, "spec", "extensions", 0, "disabled"),
		"labels of a pool are others": with(former, object{"role": "system", "x": "y"}, pool(0, "labels")...),
		"no labels of a pool":         without(former, pool(0, "labels")...),
		"reservations of a pool":      with(former, "150m", pool(0, "kubernetes", "kubelet", "kubeReserved", "cpu")...),
		"the version":                 with(former, "1.33.3", "spec", "kubernetes", "version"),
	}
}

// TestApplies: what hotupdate plan computes is what kubectl and the API server make of a manifest. The records that
// the tests of plan read are those of the server, and plan is right for drawn edits too.
func TestApplies(t *testing.T) {
	s := startAPIServer(t)
	former := toObject(t, toJSON(t, readYAML(t, "applies/former.yaml")))
	picked := s.record(t, former, editsOfApplies(former), everyWay)
	text := lines(t, picked)
	if *updateApplies {
		require.NoError(t, os.MkdirAll(filepath.Dir(recordsFile), 0o755))
		require.NoError(t, os.WriteFile(recordsFile, zipped(t, text), 0o644))
	}
	assert.Equal(t, string(unzipped(t, recordsFile)), string(text), "run go test -run TestApplies . -update-applies")
	compareReadBack(t, picked)

	chance := lot(*seed)
	drawn := s.record(t, former, drawnEdits(t, former), func(r record) bool {
		return chance.of(r.Cluster, r.Manifest, r.Way)%drawnOf == 0
	})
	t.Logf("seed %d: %d applies of %d drawn manifests", *seed, len(drawn.Applies), len(drawn.Manifests))
	assert.Greater(t, len(drawn.Applies), 300)
	file := filepath.Join(t.TempDir(), "drawn.json.gz")
	require.NoError(t, os.WriteFile(file, zipped(t, lines(t, drawn)), 0o600))
	test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestRecords$",
		"./hotupdate/cmd/hotupdate/internal/apply", "-records", file)
	test.Dir = filepath.Join("..", "..", "..", "..")
	test.Env = append(os.Environ(), "GOWORK=off", "DRAWS=all")
	out, err := test.CombinedOutput()
	require.NoError(t, err, string(out))
}

// readBackFolder has objects for the scripts of hotupdate plan.
const readBackFolder = "../../../cmd/hotupdate/testdata/readback"

// compareReadBack holds the files in [readBackFolder] to the records: Shoots as kubectl get -o yaml prints them, and
// manifests.
func compareReadBack(t *testing.T, all *records) {
	t.Helper()
	files := map[string]object{
		"client":     without(all.Clusters["client"], "metadata", "managedFields"),
		"created":    without(all.Clusters["created"], "metadata", "managedFields"),
		"flux":       all.Clusters["flux"],
		"former":     all.Manifests["nothing"],
		"no-static":  all.Manifests["no cpuManagerPolicy"],
		"no-ipvs":    all.Manifests["IPVS and node-local DNS are gone"],
		"no-two":     all.Manifests["a pool is removed"],
		"iops":       all.Manifests["a number in a provider config"],
		"no-kubelet": all.Manifests["no kubelet of a pool"],
	}
	for name, content := range files {
		text, err := yaml.Marshal(content)
		require.NoError(t, err)
		text = append([]byte("# "+sourceOfObjects+"\n"), text...)
		file := filepath.Join(readBackFolder, name+".yaml")
		if *updateApplies {
			require.NoError(t, os.MkdirAll(readBackFolder, 0o755))
			require.NoError(t, os.WriteFile(file, text, 0o644))
		}
		known, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(known), string(text), file)
	}
}

// everyWay takes all records.
func everyWay(record) bool { return true }

// drawnOf is how many of the applies of drawn manifests are made: one of so many.
const drawnOf = 60

// drawnEdits draws edits of the manifest that Gardener's types can read, but for values that they write otherwise.
func drawnEdits(t *testing.T, former object) map[string]object {
	t.Helper()
	all := map[string]object{}
	b := base{name: "applies", shoot: former}
	for _, e := range newDrawer(*seed, append(bases(t, newJudge(t)), b)).draw(&b) {
		edited := e.apply(former)
		var read gardencorev1beta1.Shoot
		if e.kind == mistyped || e.kind == unknown || json.Unmarshal(toJSON(t, edited), &read) != nil {
			continue
		}
		if isWritten(toObject(t, toJSON(t, read)), edited) {
			all[e.String()] = edited
		}
	}
	return all
}

// isWritten reports whether all scalars of a value, and the elements of its lists, are those of another one.
func isWritten(by, value any) bool {
	switch v := value.(type) {
	case object:
		members, _ := by.(object)
		for name, member := range v {
			if !isWritten(members[name], member) {
				return false
			}
		}
		return true
	case []any:
		elements, _ := by.([]any)
		for i := range v {
			if i >= len(elements) || !isWritten(elements[i], v[i]) {
				return false
			}
		}
		return true
	case nil:
		return true
	}
	isZero := value == false || value == "" || value == json.Number("0")
	return by == nil && isZero || sameJSON(by, value)
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	require.NoError(t, err)
	_, err = writer.Write(text)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return out.Bytes()
}

func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	return text
}

// lines writes each element of the records in a line.
func lines(t *testing.T, all *records) []byte {
	t.Helper()
	var out bytes.Buffer
	write := func(format string, values ...any) { fmt.Fprintf(&out, format, values...) }
	each := func(name string, objects map[string]object) {
		separator := "\n"
		write("%q: {", name)
		for _, key := range slices.Sorted(maps.Keys(objects)) {
			write("%s%q: %s", separator, key, toJSON(t, objects[key]))
			separator = ",\n"
		}
		write("\n},\n")
	}
	write("{\n\"source\": %q,\n\"printed\": %s,\n", all.Source, toJSON(t, all.Printed))
	each("clusters", all.Clusters)
	each("manifests", all.Manifests)
	write("\"applies\": [")
	separator := "\n"
	for _, one := range all.Applies {
		write("%s%s", separator, toJSON(t, one))
		separator = ",\n"
	}
	write("\n]\n}\n")
	return out.Bytes()
}

// record applies manifests in all ways to Shoots that all first ways made of a manifest. It makes those records that
// are wanted.
func (s *apiServer) record(
	t *testing.T, former object, manifests map[string]object, isWanted func(record) bool,
) *records {
	t.Helper()
	all := &records{Source: sourceOfRecords, Printed: printed(), Clusters: map[string]object{}, Manifests: manifests}
	s.served++
	for _, first := range slices.Sorted(maps.Keys(firsts)) {
		for _, manifest := range slices.Sorted(maps.Keys(manifests)) {
			for _, second := range slices.Sorted(maps.Keys(seconds)) {
				one := record{Cluster: first, Manifest: manifest, Way: second}
				if one.id = fmt.Sprintf("x%d%05d", s.served, len(all.Applies)); isWanted(one) {
					all.Applies = append(all.Applies, one)
				}
			}
		}
	}
	s.create(t, former, all)
	before := s.get(t)
	s.conflicts(t, all)
	s.fillsIn.Store(false)
	failures := s.apply(t, all)
	after := s.get(t)
	s.fillsIn.Store(true)
	for i := range all.Applies {
		one := &all.Applies[i]
		old := anonymous(before[one.id].Object)
		if known := all.Clusters[one.Cluster]; known == nil {
			all.Clusters[one.Cluster] = old
		} else {
			require.Equal(t, string(toJSON(t, known)), string(toJSON(t, old)))
		}
		if one.Fails = failures[one.id]; one.Fails != "" {
			continue
		}
		patch, err := jsonpatch.CreateMergePatch(toJSON(t, inCluster(old)), toJSON(t, inCluster(after[one.id].Object)))
		require.NoError(t, err)
		one.Result = patch
	}
	all.Applies = slices.DeleteFunc(all.Applies, func(one record) bool { return one.isRefused() })
	return all
}

// apply applies the manifests, each way by one kubectl, and returns the errors.
func (s *apiServer) apply(t *testing.T, all *records) map[string]string {
	t.Helper()
	var wait sync.WaitGroup
	var locked sync.Mutex
	failures := map[string]string{}
	for second, arguments := range seconds {
		files := map[string]object{}
		for _, one := range all.Applies {
			if one.Way == second {
				files[one.id] = all.Manifests[one.Manifest]
			}
		}
		wait.Go(func() {
			failed := s.send(t, files, arguments)
			locked.Lock()
			defer locked.Unlock()
			maps.Copy(failures, failed)
		})
	}
	wait.Wait()
	return failures
}

// inCluster is the part of a Shoot that a manifest decides.
func inCluster(shoot object) object {
	metadata, _ := shoot["metadata"].(object)
	annotations, _ := metadata["annotations"].(object)
	annotations = maps.Clone(annotations)
	delete(annotations, lastAppliedAnnotation)
	return object{"metadata": object{"labels": metadata["labels"], "annotations": annotations}, "spec": shoot["spec"]}
}

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// anonymous returns a Shoot of the server without what differs each time. It has the name of the first manifest.
func anonymous(shoot object) object {
	metadata, _ := shoot["metadata"].(object)
	metadata = maps.Clone(metadata)
	if annotations, is := metadata["annotations"].(object); is && annotations[lastAppliedAnnotation] != nil {
		annotations = maps.Clone(annotations)
		text := fmt.Sprint(annotations[lastAppliedAnnotation])
		annotations[lastAppliedAnnotation] = strings.Replace(text, fmt.Sprintf("%q", metadata["name"]), `"web"`, 1)
		metadata["annotations"] = annotations
	}
	metadata["name"] = "web"
	metadata["uid"] = anyUID
	metadata["resourceVersion"] = "4711"
	metadata["creationTimestamp"] = anyTime
	entries, _ := metadata["managedFields"].([]any)
	entries = slices.Clone(entries)
	for i, one := range entries {
		entry, _ := one.(object)
		entry = maps.Clone(entry)
		entry["time"] = anyTime
		entries[i] = entry
	}
	metadata["managedFields"] = entries
	anonymous := maps.Clone(shoot)
	delete(anonymous, "status")
	anonymous["metadata"] = metadata
	return anonymous
}

const (
	anyTime = "2026-01-02T03:04:05Z"
	anyUID  = "2b0bd1b0-0000-4000-8000-000000000000"
)

// create creates a Shoot for each record, and lets another manager change it.
func (s *apiServer) create(t *testing.T, former object, all *records) {
	t.Helper()
	var wait sync.WaitGroup
	for first, steps := range firsts {
		files := map[string]object{}
		for _, one := range all.Applies {
			if one.Cluster == first {
				files[one.id] = former
			}
		}
		wait.Go(func() {
			for _, arguments := range steps {
				assert.Empty(t, s.send(t, files, arguments))
			}
		})
	}
	wait.Wait()
	change, _ := toObject(t, toJSON(t, readYAML(t, "applies/dashboard.yaml")))["spec"].(object)
	provider, _ := change["provider"].(object)
	added, _ := provider["workers"].([]any)
	shoots := s.shoots.Namespace("garden-dev")
	stored := s.get(t)
	for _, one := range all.Applies {
		require.NotNil(t, stored[one.id], one.id)
		spec, _ := stored[one.id].Object["spec"].(object)
		provider, _ := spec["provider"].(object)
		workers, _ := provider["workers"].([]any)
		patch := with(object{"spec": change}, slices.Concat(workers, added), "spec", "provider", "workers")
		_, err := shoots.Patch(t.Context(), one.id, types.MergePatchType, toJSON(t, patch), metav1.PatchOptions{FieldManager: "dashboard"})
		require.NoError(t, err)
	}
}

// send runs kubectl once for manifests by the names of their Shoots, and returns the errors by name.
func (s *apiServer) send(t *testing.T, manifests map[string]object, arguments []string) map[string]string {
	t.Helper()
	failures := map[string]string{}
	if len(manifests) == 0 {
		return failures
	}
	folder := t.TempDir()
	for id, manifest := range manifests {
		assert.NoError(t, os.WriteFile(filepath.Join(folder, id+".json"), mustJSON(with(manifest, id, "metadata", "name")), 0o600))
	}
	problems, err := s.kubectl(t, append(slices.Clone(arguments), "-f", folder)...)
	if err == nil {
		return failures
	}
	for line := range strings.SplitSeq(problems, "\n") {
		isError := !strings.HasPrefix(line, "Warning: ")
		if found := fileOfProblem.FindStringSubmatch(line); found != nil && isError {
			failures[found[1]] = strings.ReplaceAll(line, folder, "")
		}
	}
	assert.NotEmpty(t, failures, problems)
	return failures
}

// fileOfProblem finds the name of the file, or of the Shoot, in an error of kubectl.
var fileOfProblem = regexp.MustCompile(`(x\d{6,})`)

// isRefused reports whether an error is about a value, which no way of applying admits.
func (r *record) isRefused() bool { return strings.Contains(r.Fails, " is invalid: ") }

// conflicts asks the API server for the conflicts of server-side applies.
func (s *apiServer) conflicts(t *testing.T, all *records) {
	t.Helper()
	for i := range all.Applies {
		one := &all.Applies[i]
		manager, isServer := strings.CutPrefix(one.Way, "server=")
		if !isServer {
			continue
		}
		manifest := toJSON(t, with(all.Manifests[one.Manifest], one.id, "metadata", "name"))
		_, err := s.shoots.Namespace("garden-dev").Patch(t.Context(), one.id, types.ApplyPatchType, manifest,
			metav1.PatchOptions{FieldManager: manager, DryRun: []string{metav1.DryRunAll}})
		status, is := errors.AsType[*apierrors.StatusError](err)
		if !is || status.ErrStatus.Reason != metav1.StatusReasonConflict {
			continue
		}
		for _, cause := range status.ErrStatus.Details.Causes {
			one.Conflicts = append(one.Conflicts, cause.Field+" "+cause.Message)
		}
		slices.Sort(one.Conflicts)
	}
}

// printed are the scalars of a Shoot's spec that Gardener's types print although they are not set.
func printed() []string {
	var all []string
	printedOf(reflect.TypeFor[gardencorev1beta1.ShootSpec](), "spec", &all)
	slices.Sort(all)
	return slices.Compact(all)
}

func printedOf(t reflect.Type, path string, all *[]string) {
	t = indirect(t)
	switch {
	case t.Kind() == reflect.Slice:
		printedOf(t.Elem(), path+"[]", all)
		return
	case t.Kind() != reflect.Struct || isLeaf(t):
		return
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			printedOf(f.Type, path, all)
			continue
		}
		isScalar := f.Type.Kind() == reflect.String || f.Type.Kind() == reflect.Bool || f.Type.Kind() == reflect.Int32
		if isScalar && !strings.Contains(options, "omitempty") {
			*all = append(*all, path+"."+name)
		}
		printedOf(f.Type, path+"."+name, all)
	}
}
