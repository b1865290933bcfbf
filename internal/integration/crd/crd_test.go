package crd_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/internal/crdplugin"
)

// group is the API group of the drawn kinds.
const group = "drawn.example.com"

const (
	kinds     = 100 // drawn CRDs
	perKind   = 6   // objects of each
	perObject = 6   // edits of each
)

// program is a running hotupdate-crd.
type program struct {
	input  io.Writer
	output *bufio.Reader
}

func (p *program) send(t *testing.T, question, answer any) {
	t.Helper()
	line, err := json.Marshal(question)
	require.NoError(t, err)
	_, err = p.input.Write(append(line, '\n'))
	require.NoError(t, err)
	answered, err := p.output.ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(answered, answer))
}

// build builds a command of a module, as users do.
func build(t *testing.T, module, command string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), filepath.Base(command))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", file, command)
	build.Dir = module
	build.Env = append(os.Environ(), "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return file
}

const root = "../../.."

func start(t *testing.T, file string, definitions []json.RawMessage) *program {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), file)
	input, err := command.StdinPipe()
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		require.NoError(t, input.Close())
		require.NoError(t, command.Wait())
	})
	p := &program{input, bufio.NewReader(output)}
	var ready crdplugin.Ready
	p.send(t, crdplugin.Setup{FormatVersion: crdplugin.FormatVersion, Definitions: definitions}, &ready)
	require.Empty(t, ready.Error)
	require.Empty(t, ready.Ignored)
	return p
}

func (p *program) ask(t *testing.T, old, updated *unstructured.Unstructured) crdplugin.Answer {
	t.Helper()
	var question crdplugin.Question
	var err error
	question.New, err = json.Marshal(updated)
	require.NoError(t, err)
	if old != nil {
		question.Old, err = json.Marshal(old)
		require.NoError(t, err)
	}
	var answer crdplugin.Answer
	p.send(t, question, &answer)
	require.Empty(t, answer.Error)
	return answer
}

// definition returns the CRD of a kind in one release. The new release adds a marker to objects,
// which shows that it is served.
func definition(t *testing.T, i int, spec map[string]any, isNew bool) (json.RawMessage, *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	properties := map[string]any{"spec": spec}
	if isNew {
		properties[marker] = map[string]any{"type": "boolean", "default": true}
	}
	plural := fmt.Sprintf("kinds%d", i)
	raw, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{
				"kind": fmt.Sprintf("Kind%d", i), "plural": plural, "singular": fmt.Sprintf("kind%d", i),
				"listKind": fmt.Sprintf("Kind%dList", i),
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": properties}},
			}},
		},
	})
	require.NoError(t, err)
	var crd apiextensionsv1.CustomResourceDefinition
	require.NoError(t, json.Unmarshal(raw, &crd))
	return raw, &crd
}

const marker = "isNew"

// causes returns the paths at which the API server finds mistakes. Its note that it did not check
// further rules is no mistake.
func causes(t *testing.T, err error) (paths []string) {
	t.Helper()
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	require.ErrorAs(t, err, &status)
	require.NotNil(t, status.Status().Details, "%v", err)
	require.NotEmpty(t, status.Status().Details.Causes, "%v", err)
	for _, cause := range status.Status().Details.Causes {
		if !strings.Contains(cause.Message, "some validation rules were not checked") {
			paths = append(paths, strings.TrimPrefix(cause.Field, "."))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// pathsOf returns the paths of an answer.
func pathsOf(answer crdplugin.Answer) (paths []string) {
	for _, refusal := range answer.Refusals {
		paths = append(paths, refusal.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// checkPaths compares the paths of an answer with the paths that the API server found.
func checkPaths(t *testing.T, found []string, answer crdplugin.Answer, about any) {
	t.Helper()
	if answer.More == 0 {
		require.Equal(t, found, pathsOf(answer), "%v", about)
		return
	}
	require.Len(t, answer.Refusals, crdplugin.MaxRefusals)
	require.Subset(t, found, pathsOf(answer), "%v", about)
}

// judge compares the program with an API server.
type judge struct {
	client  dynamic.Interface
	program *program
	counts  map[string]int
	refused map[string]bool // the objects that are not created again, by kind and name
}

func (j *judge) objects(i int) dynamic.ResourceInterface {
	return j.client.Resource(
		schema.GroupVersionResource{Group: group, Version: "v1", Resource: fmt.Sprintf("kinds%d", i)},
	).Namespace("default")
}

// release has what is drawn of a kind.
type release struct {
	old     map[string]any
	updated *apiextensionsv1.CustomResourceDefinition
	names   []string // the names of the objects

	record // the answers of the API server
}

// record is a line of the file of records: the CRDs of both releases, and the specs of objects.
type record struct {
	Old, New json.RawMessage
	Objects  []returned
}

// returned is the spec of an object as it was sent, and as an API server with each release returned it.
type returned struct{ Sent, Old, New any }

// records is a file of the package that predicts what an API server returns. The tests of that
// package read the file.
const records = root + "/hotupdate/cmd/hotupdate/internal/crds/testdata/returned.jsonl.gz"

var update = flag.Bool("update", false, "write "+records+" instead of comparing it")

// checkRecords compares the answers of the API server with the file, for the seed of the file.
func checkRecords(t *testing.T, releases []release) {
	t.Helper()
	var lines bytes.Buffer
	for _, r := range releases {
		require.NoError(t, json.NewEncoder(&lines).Encode(r.record))
	}
	if *update {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(lines.Bytes())
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(records, packed.Bytes(), 0o644))
	}
	file, err := os.Open(records)
	require.NoError(t, err)
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.True(
		t, bytes.Equal(text, lines.Bytes()), "an API server returns other objects: run go test ./crd -update, and read what changes",
	)
}

// TestDrawnReleases draws CRDs, new releases of them, objects and edits. The program hotupdate-crd
// must refuse what an API server refuses, at the same paths. For each mistake of a stored object it
// must say which updates are refused.
func TestDrawnReleases(t *testing.T) {
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = 42
	}
	t.Logf("seed %d", seed)
	isRecorded := seed == 42
	a := generator{rand.New(rand.NewPCG(seed, 0))}
	server, err := apiserver.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientset.NewForConfig(server.Config)
	require.NoError(t, err)
	definer := client.ApiextensionsV1().CustomResourceDefinitions()
	j := &judge{counts: map[string]int{}, refused: map[string]bool{}}
	j.client, err = dynamic.NewForConfig(server.Config)
	require.NoError(t, err)

	var definitions []json.RawMessage
	var releases []release
	for len(releases) < kinds {
		old := a.spec()
		raw, updated := definition(t, len(releases), a.release(old), true)
		_, err = definer.Create(t.Context(), updated, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if apierrors.IsInvalid(err) {
			j.counts["CRDs that the API server refuses"]++
			continue // for example, the cost of a rule is too high
		}
		require.NoError(t, err)
		rawOld, crd := definition(t, len(releases), old, false)
		require.NoError(t, apiserver.Define(t.Context(), definer, crd))
		definitions = append(definitions, raw)
		releases = append(releases, release{old: old, updated: updated, record: record{Old: rawOld, New: raw}})
	}
	for i := range releases {
		for n := range perKind {
			sent := a.value(releases[i].old)
			stored := j.store(t, i, n, sent)
			releases[i].names = append(releases[i].names, stored.GetName())
			releases[i].Objects = append(releases[i].Objects, returned{Sent: sent, Old: stored.Object["spec"]})
		}
	}
	for i := range releases {
		current, err := definer.Get(t.Context(), releases[i].updated.Name, metav1.GetOptions{})
		require.NoError(t, err)
		current.Spec = releases[i].updated.Spec
		_, err = definer.Update(t.Context(), current, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	file := build(t, filepath.Join(root, "hotupdate", "crd"), "./cmd/hotupdate-crd")
	j.program = start(t, file, definitions)
	for i := range releases {
		for n, name := range releases[i].names {
			releases[i].Objects[n].New = j.object(t, a, i, name)
		}
	}
	j.audit(t, file, releases)
	t.Logf("%v", j.counts)
	if !isRecorded {
		return
	}
	checkRecords(t, releases)
	for _, counted := range []string{"created", "refused", "updated", "update refused", "changed", "never", "always", "kept elsewhere"} {
		assert.Greater(t, j.counts[counted], 2, counted)
	}
}

// audit runs hotupdate audit over the stored objects. It must forbid exactly the objects that the
// API server would not create again.
func (j *judge) audit(t *testing.T, validator string, releases []release) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, of func(release) []any) string {
		var all []any
		for _, r := range releases {
			all = append(all, of(r)...)
		}
		text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
		require.NoError(t, err)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	old := write("old.json", func(r release) []any { return []any{r.Old} })
	updated := write("new.json", func(r release) []any { return []any{r.New} })
	objects := write("objects.json", func(r release) (objects []any) {
		for i, o := range r.Objects {
			objects = append(objects, map[string]any{
				"apiVersion": group + "/v1", "kind": r.updated.Spec.Names.Kind,
				"metadata": map[string]any{"name": r.names[i], "namespace": "default"}, "spec": o.Old,
			})
		}
		return objects
	})
	command := exec.CommandContext(t.Context(), build(t, root, "./hotupdate/cmd/hotupdate"), "audit", "--all", "-o", "ndjson",
		"--validator", validator, "--old", old, "--new", updated, objects)
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	judged := 0
	for line := range bytes.Lines(out) {
		var one struct{ Kind, Name, Verdict string }
		require.NoError(t, json.Unmarshal(line, &one))
		if one.Kind == "" {
			continue // this line is the report
		}
		judged++
		assert.Equal(t, j.refused[one.Kind+" "+one.Name], one.Verdict == "forbidden", "%s", line)
	}
	assert.Equal(t, kinds*perKind, judged)
}

// store creates an object under the old release.
func (j *judge) store(t *testing.T, i, n int, spec any) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1", "kind": fmt.Sprintf("Kind%d", i),
		"metadata": map[string]any{"name": fmt.Sprintf("o%d", n), "namespace": "default"}, "spec": spec,
	}}
	stored, err := j.objects(i).Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err, "%v", object)
	return stored
}

// current returns an object as an API server of the new release returns it.
func (j *judge) current(t *testing.T, i int, name string) (current *unstructured.Unstructured) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		current, err = j.objects(i).Get(t.Context(), name, metav1.GetOptions{})
		return err == nil && current.Object[marker] == true
	}, time.Minute, time.Millisecond)
	return current
}

// object checks an object that was stored under the old release. It returns the spec of the object
// as the new release returns it.
func (j *judge) object(t *testing.T, a generator, i int, name string) any {
	t.Helper()
	current := j.current(t, i, name)

	// The object is created again, as from a backup.
	answer := j.program.ask(t, nil, current)
	anew := current.DeepCopy()
	anew.SetName(name + "-anew")
	anew.SetResourceVersion("")
	anew.SetUID("")
	_, err := j.objects(i).Create(t.Context(), anew, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	checkPaths(t, causes(t, err), answer, current.Object["spec"])
	j.count(err, "created", "refused")
	j.refused[current.GetKind()+" "+name] = err != nil

	// The object is changed.
	labelled := current.DeepCopy()
	labelled.SetLabels(map[string]string{"a": "b"})
	onLabel := j.update(t, i, current, labelled)
	for _, refusal := range answer.Refusals {
		j.counts[string(refusal.Update)]++
		assert.Equal(
			t, refusal.Update == crdplugin.RefusedAlways, slices.Contains(onLabel, refusal.Path), "a label; %v: %v", refusal,
			current.Object["spec"],
		)
	}
	for range perObject {
		edited := current.DeepCopy()
		edited.Object["spec"] = a.edit(current.Object["spec"])
		found := j.update(t, i, current, edited)
		j.kept(t, answer, current, edited, found)
	}
	return current.Object["spec"]
}

func (j *judge) count(err error, taken, refused string) {
	if err == nil {
		j.counts[taken]++
	} else {
		j.counts[refused]++
	}
}

// update tries an update, and compares the program's answer with the API server's.
func (j *judge) update(t *testing.T, i int, current, edited *unstructured.Unstructured) []string {
	t.Helper()
	_, err := j.objects(i).Update(t.Context(), edited, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	found := causes(t, err)
	checkPaths(t, found, j.program.ask(t, current, edited), []any{current.Object["spec"], edited.Object["spec"], err})
	j.count(err, "updated", "update refused")
	return found
}

// kept checks, for an edit that leaves mistakes of a stored object, what the program says of these
// mistakes.
func (j *judge) kept(t *testing.T, answer crdplugin.Answer, current, edited *unstructured.Unstructured, found []string) {
	t.Helper()
	remaining := pathsOf(j.program.ask(t, nil, edited))
	for _, refusal := range answer.Refusals {
		alike := slices.DeleteFunc(slices.Clone(answer.Refusals), func(r crdplugin.Refusal) bool { return r.Path != refusal.Path })
		if !slices.Contains(remaining, refusal.Path) || len(alike) > 1 {
			continue // the edit mends the mistake, or the path does not tell which mistake remains
		}
		switch refusal.Update {
		case crdplugin.NeverRefused:
		case crdplugin.RefusedWhereChanged:
			isKept := assert.ObjectsAreEqual(at(current.Object, refusal.Kept), at(edited.Object, refusal.Kept))
			if isKept && assert.ObjectsAreEqual(keysOn(current.Object, refusal.Kept), keysOn(edited.Object, refusal.Kept)) {
				assert.NotContains(t, found, refusal.Path, "%v: %v", refusal, edited.Object["spec"])
				j.counts["kept elsewhere"]++
			}
		case crdplugin.RefusedAlways:
			assert.Contains(t, found, refusal.Path)
		}
	}
}

// keysOn returns the keys of the elements on a path. Elements with different keys are different
// elements.
func keysOn(object map[string]any, path string) (keys []any) {
	for i := range path {
		if path[i] == ']' {
			keys = append(keys, at(object, path[:i+1]+".k"))
		}
	}
	return keys
}

var errNone = errors.New("there is nothing")

// at returns the value at a path in the form of the API server. No name in the object may have a
// bracket.
func at(value any, path string) any {
	for path != "" {
		path = strings.TrimPrefix(path, ".")
		switch in := value.(type) {
		case map[string]any:
			longest := ""
			for name := range in {
				after, begins := strings.CutPrefix(path, name)
				isWhole := after == "" || after[0] == '.' || after[0] == '['
				if begins && isWhole && len(name) > len(longest) {
					longest = name
				}
			}
			if longest == "" {
				return errNone
			}
			value = in[longest]
			path = path[len(longest):]
		case []any:
			end := strings.IndexByte(path, ']')
			i, err := strconv.Atoi(path[1:end])
			if err != nil || i >= len(in) {
				return errNone
			}
			value = in[i]
			path = path[end+1:]
		default:
			return errNone
		}
	}
	return value
}
