//go:build ignore

// Command record asks the released code of a provider extension how it names worker pools, and what
// its admission refuses. It draws the pools. The pools and the answers are the test data of package
// recorded.
//
// This module links none of the released code. Copy the Go files into a checkout of the extension's
// release, and run them there with the file of the provider, so that the go.mod of the checkout
// decides what is linked:
//
//	mkdir CHECKOUT/cmd/record && cp *.go CHECKOUT/cmd/record
//	cd CHECKOUT/cmd/record
//	go run main.go draw.go cluster.go azure.go azure_1.62.go -release v1.62.1 -o azure-v1.62.1.jsonl.gz
//
// Each provider has a second file for the calls that differ between releases. It is named by the
// release that it was made for. Alibaba Cloud has no second file, because all its releases have the
// same functions.
//
// Then put the records into testdata of package recorded, beside this folder, and run the tests of
// package extensions. A difference names the field in which two pools differ. If a function of the
// extension has moved, copy the provider's second file, name the copy by the new release, and call
// the function at its new place.
//
// AWS needs the module machine-controller-manager-provider-aws, which not every module proxy
// serves. In that case, check it out, and add a replace to the go.mod of the extension's checkout.
//
// The folder released, beside this one, links releases that module proxies serve: AWS v1.73.0, with
// a stand-in for that module, and GCP v1.50.0. The step extensions of .ci/run runs this command
// there.
//
// Pools are drawn by reflection from the types of the release. Every eighth pool is new, and each
// of the others differs from the previous pool in one member. A third of the configs have a form
// that no API server stores. Most Kubernetes versions are supported by the release. If a field has
// not taken two values, more pools are drawn; a field that never takes two values is an error.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/gardener/gardener/pkg/apis/core"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/gardener/gardener/pkg/utils/validation/kubernetesversion"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// extension has the functions of a provider extension that are called.
type extension struct {
	provider string
	config   any // the versioned WorkerConfig; nil without one
	// values are texts of members of the pool and the config, by path. All extensions share further
	// ones.
	values map[string][]string
	// mostly are fields without which most pools would have no answer. seldom are fields with which
	// the command hotupdate does not compare a pool.
	mostly, seldom []string
	// configEdits is how many of ten edits are made to a config.
	configEdits int
	// facts are the values of facts about the infrastructure and the Shoot, as JSON.
	facts map[string][]string
	// classes returns the names of the pool's MachineClasses. data returns the strings of the
	// extension's exported function for the config; nil if there is none.
	classes func(pool asked) ([]string, error)
	data    func(pool asked) ([]string, error)
	// admit returns what admission refuses of the pool, and update what it refuses of a change.
	admit  func(pool asked) (field.ErrorList, error)
	update func(old, updated []core.Worker) field.ErrorList
}

// asked is a drawn pool.
type asked struct {
	extensionsv1alpha1.WorkerPool

	facts map[string]json.RawMessage
}

// header is the first line of a file of records.
type header struct {
	Provider string `json:"provider"`
	Release  string `json:"release"`
	Gardener string `json:"gardener"`
	// Kubernetes are the minors that the linked Gardener supports.
	Kubernetes []string `json:"kubernetes"`
	Seed       int64    `json:"seed"`
	Pools      int      `json:"pools"`
	// Fields are the fields that were drawn, each with the number of its values.
	Fields map[string]int `json:"fields"`
}

// record is a pool with the answers of the extension.
type record struct {
	// Edit is the path of the member in which the pool differs from the previous one; empty for a
	// new pool.
	Edit string `json:"edit,omitempty"`
	// Pool is the pool without its config, Config the text of the config; absent if the pool has none.
	Pool   json.RawMessage            `json:"pool"`
	Config *string                    `json:"config,omitempty"`
	Facts  map[string]json.RawMessage `json:"facts,omitempty"`
	// Names are the hashes in the names of the MachineClasses, with the suffix of the zone. Data
	// are the strings of the exported function. Error is the error instead of names.
	Names []string `json:"names,omitempty"`
	Data  []string `json:"data,omitempty"`
	Error string   `json:"error,omitempty"`
	// Refused has the kinds and fields that admission refuses of the pool. RefusedUpdate has those
	// that it refuses of the change from the previous record.
	Refused       []string `json:"refused,omitempty"`
	RefusedUpdate []string `json:"refusedUpdate,omitempty"`
}

func main() {
	output := flag.String("o", "", "the `FILE` of the records")
	release := flag.String("release", "", "the `VERSION` of the extension")
	seed := flag.Int64("seed", 1, "the `SEED` of the draws")
	pools := flag.Int("pools", 2000, "the `NUMBER` of pools")
	flag.Parse()
	e := newExtension()
	lines, err := e.records(*release, *seed, *pools)
	if err == nil {
		err = write(*output, lines)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func write(name string, lines []byte) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(lines); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, packed.Bytes(), 0o644)
}

// records returns the lines of a file.
func (e *extension) records(release string, seed int64, pools int) ([]byte, error) {
	d := newDrawer(e, seed)
	var lines bytes.Buffer
	var current drawn
	var previous []core.Worker
	asked := 0
	for ; asked < pools || asked < patience*pools && len(d.missing()) > 0; asked++ {
		current = d.next(current, asked)
		r, worker, err := e.ask(current)
		if err != nil {
			return nil, err
		}
		if asked > 0 && r.Edit != "" {
			updated := []core.Worker{worker}
			r.RefusedUpdate = admission(func() (field.ErrorList, error) { return e.update(previous, updated), nil })
		}
		previous = []core.Worker{worker}
		if err := writeLine(&lines, r); err != nil {
			return nil, err
		}
	}
	if missing := d.missing(); len(missing) > 0 {
		return nil, fmt.Errorf("these fields never took two values: %s", strings.Join(missing, ", "))
	}
	head := header{
		Provider:   e.provider,
		Release:    release,
		Gardener:   gardener(),
		Kubernetes: kubernetesversion.SupportedVersions,
		Seed:       seed,
		Pools:      asked,
		Fields:     map[string]int{},
	}
	for path, values := range d.seen {
		head.Fields[path] = len(values)
	}
	var first bytes.Buffer
	if err := writeLine(&first, head); err != nil {
		return nil, err
	}
	return append(first.Bytes(), lines.Bytes()...), nil
}

// patience bounds the number of pools, as a multiple of the requested number, until each field has
// taken two values.
const patience = 4

// missing returns the fields that never took two values.
func (d *poolDrawer) missing() []string {
	missing := d.uncovered(reflect.TypeFor[extensionsv1alpha1.WorkerPool](), "pool")
	if d.e.config != nil {
		missing = append(missing, d.uncovered(reflect.TypeOf(d.e.config), "config")...)
	}
	return missing
}

func writeLine(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// gardener returns the version of Gardener that is linked.
func gardener() string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "github.com/gardener/gardener" {
			if dependency.Replace != nil {
				dependency = dependency.Replace
			}
			return dependency.Version
		}
	}
	return ""
}

// drawn is a pool before the extension is asked about it.
type drawn struct {
	edit         string
	pool, config *object // config is nil for a pool without one
	form         form
	facts        map[string]json.RawMessage
}

type poolDrawer struct {
	drawer

	e *extension
}

func newDrawer(e *extension, seed int64) *poolDrawer {
	values := map[string][]string{
		"pool.name":                 {`"p"`, `"q"`},
		"pool.machineType":          {`"m1"`, `"m2"`},
		"pool.machineImage.name":    {`"os"`, `"suse"`},
		"pool.machineImage.version": {`"1.0.0"`, `"1.1.0"`},
		"pool.kubernetesVersion":    kubernetesVersions(),
		"pool.updateStrategy": {
			`"AutoRollingUpdate"`,
			`"AutoRollingUpdate"`,
			`"AutoRollingUpdate"`,
			`"AutoInPlaceUpdate"`,
			`"ManualInPlaceUpdate"`,
		},
		"pool.nodeAgentSecretName": {
			`"gardener-node-agent-p-0123456789abcdef"`,
			`"gardener-node-agent-p-fedcba9876543210"`,
		},
		"pool.architecture":               {`"amd64"`, `"arm64"`},
		"pool.volume.size":                {`"50Gi"`, `"60Gi"`},
		"pool.volume.type":                {`"gp3"`, `"gp2"`, `""`},
		"pool.dataVolumes[].name":         {`"a"`, `"b"`, `"c"`, `"kubelet-dir"`, `"z"`, `"B"`},
		"pool.dataVolumes[].size":         {`"10Gi"`, `"20Gi"`, `"30Gi"`},
		"pool.dataVolumes[].type":         {`"gp3"`, `"gp2"`, `""`},
		"pool.zones":                      {`["1"]`, `["1","2"]`, `["2","1"]`, `["3","1","2"]`},
		"pool.userDataSecretRef.name":     {`"user-data"`, `"user-data-2"`},
		"pool.userDataSecretRef.key":      {`"userData"`, `"data"`},
		"pool.minimum":                    {`1`, `2`},
		"pool.maximum":                    {`3`, `4`},
		"pool.kubeletConfig.evictionHard": nil,
		"config.dataVolumes[].name":       {`"a"`, `"b"`, `"kubelet-dir"`, `"z"`, `""`},
	}
	for path, texts := range e.values {
		values[path] = texts
	}
	return &poolDrawer{e: e, drawer: drawer{
		Rand: rand.New(rand.NewSource(seed)), values: values, seen: map[string]map[string]bool{},
		required: []string{
			"pool.name", "pool.machineType", "pool.machineImage", "pool.machineImage.name",
			"pool.machineImage.version", "pool.minimum",
			"pool.maximum", "pool.maxSurge", "pool.maxUnavailable", "pool.userDataSecretRef",
			"pool.userDataSecretRef.name",
			"pool.userDataSecretRef.key", "pool.volume", "pool.volume.size", "pool.dataVolumes[].name",
			"pool.dataVolumes[].size", "pool.zones",
		},
		leftOut: []string{"pool.providerConfig"},
		seldom: append(
			[]string{
				"pool.kubeletConfig.",
				"pool.machineControllerManager.",
				"pool.clusterAutoscaler.",
				"pool.taints",
				"pool.annotations",
			},
			e.seldom...,
		),
		// Gardener always sets these. Extensions copy the capacity of a config into that of the pool:
		// most panic (nil map) if only the config has one.
		mostly: append(
			[]string{
				"pool.kubernetesVersion", "pool.nodeAgentSecretName", "pool.nodeTemplate", "pool.nodeTemplate.capacity",
			},
			e.mostly...,
		),
	}}
}

// kubernetesVersions returns two patch versions of each minor that the linked Gardener supports. It
// also returns one patch version of each later minor of which extensions hash a list of values, and
// of the first minor that no release supports.
func kubernetesVersions() (texts []string) {
	supported := kubernetesversion.SupportedVersions
	for _, minor := range supported {
		texts = append(texts, strconv.Quote(minor+".0"), strconv.Quote(minor+".3"))
	}
	for _, minor := range []string{"1.34", "1.35", "1.36", "1.37"} {
		if !slices.Contains(supported, minor) {
			texts = append(texts, strconv.Quote(minor+".1"))
		}
	}
	return texts
}

// next draws a pool that differs from the last one in a member. Every eighth pool is new.
func (d *poolDrawer) next(last drawn, i int) drawn {
	if i%8 == 0 {
		return d.fresh()
	}
	next := last
	next.facts = mapsClone(last.facts)
	next.pool = copyOf(last.pool).(*object)
	if last.config != nil {
		next.config = copyOf(last.config).(*object)
	}
	hasConfig := next.config != nil
	lostSecret := last.edit == secretPath && next.pool.member(secretName) == ""
	switch chance := d.Intn(10); {
	case lostSecret && chance < 5: // otherwise the pools up to the next new one lack the secret
		next.edit = d.editNamed(next.pool, secretName)
	case hasConfig && chance < d.e.configEdits:
		next.edit = d.edit(next.config)
	case d.e.config != nil && chance == 6:
		next.edit = "config"
		next.config, next.form = d.config()
	case chance == 7 && len(d.e.facts) > 0:
		name := d.pick(names(d.e.facts))
		next.edit = "facts." + name
		next.facts[name] = json.RawMessage(d.pick(d.e.facts[name]))
	case chance == 8:
		next.edit = d.editHashed(next.pool)
	case chance == 9 && d.Intn(2) == 0:
		next.edit = d.editHashed(next.pool)
	default:
		next.edit = d.edit(next.pool)
	}
	return next
}

// hashed are fields of a pool that extensions or Gardener hash, or whose changes admission refuses.
var hashed = [][]string{
	{"zones"},
	{"dataVolumes"},
	{"volume", "encrypted"},
	{"kubernetesVersion"},
	{"updateStrategy"},
	{secretName},
	{"machineImage"},
}

const (
	secretName = "nodeAgentSecretName"
	secretPath = "pool." + secretName
)

// editHashed draws one of the fields again. Half of the edits of the secret's name, which is mostly
// set, remove it.
func (d *poolDrawer) editHashed(pool *object) string {
	path := hashed[d.Intn(len(hashed))]
	if path[0] == secretName && d.Intn(2) == 0 {
		pool.members = slices.DeleteFunc(pool.members, func(m member) bool { return m.name == secretName })
		return secretPath
	}
	return d.editNamed(pool, path...)
}

func (d *poolDrawer) fresh() drawn {
	f := drawn{
		pool:  d.document(reflect.TypeFor[extensionsv1alpha1.WorkerPool](), "pool"),
		facts: map[string]json.RawMessage{},
	}
	f.config, f.form = d.config()
	for _, name := range names(d.e.facts) {
		f.facts[name] = json.RawMessage(d.pick(d.e.facts[name]))
	}
	return f
}

// form is how a config is written.
type form int

const (
	stored  form = iota // as an API server stores it: compact, with sorted members
	ordered             // compact, with its members in any order
	spaced              // with white space
)

// config draws a config: none, or one with its type.
func (d *poolDrawer) config() (*object, form) {
	if d.e.config == nil || d.Intn(10) == 0 {
		return nil, stored
	}
	forms := []form{stored, stored, stored, stored, stored, stored, ordered, ordered, spaced}
	return d.document(reflect.TypeOf(d.e.config), "config"), forms[d.Intn(len(forms))]
}

// configText returns the text of the config.
func (d drawn) configText(provider string) *string {
	if d.config == nil {
		return nil
	}
	typed := *d.config
	typed.members = append([]member{
		{
			"apiVersion",
			text(`"` + provider + `.provider.extensions.gardener.cloud/v1alpha1"`),
		}, {"kind", text(`"WorkerConfig"`)},
	}, d.config.members...)
	written := typed.append(nil)
	switch d.form {
	case stored:
		written = marshaled(written)
	case spaced:
		written = indented(written)
	}
	return ptrTo(string(written))
}

func ptrTo[T any](v T) *T { return &v }

func names(facts map[string][]string) (sorted []string) {
	for name := range facts {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	return sorted
}

func mapsClone(m map[string]json.RawMessage) map[string]json.RawMessage {
	c := map[string]json.RawMessage{}
	for name, v := range m {
		c[name] = v
	}
	return c
}

// ask returns the record of a pool, and the pool as admission sees it.
func (e *extension) ask(d drawn) (record, core.Worker, error) {
	r := record{Edit: d.edit, Pool: d.pool.append(nil), Config: d.configText(e.provider), Facts: d.facts}
	pool := func() (asked, error) { // a new copy for each call, because the extension may change it
		a := asked{facts: d.facts}
		err := json.Unmarshal(r.Pool, &a.WorkerPool)
		if r.Config != nil {
			a.ProviderConfig = rawExtension(*r.Config)
		}
		return a, err
	}
	p, err := pool()
	if err != nil {
		return r, core.Worker{}, fmt.Errorf("%s: %w", r.Pool, err)
	}
	worker := coreWorker(p)
	r.Names, err = protected(func() ([]string, error) { return e.classes(p) })
	if err != nil {
		r.Error = err.Error()
	}
	for i, name := range r.Names {
		r.Names[i] = strings.TrimPrefix(name, technicalID+"-"+p.Name+"-")
	}
	if p, err = pool(); err == nil && e.data != nil {
		r.Data, _ = protected(func() ([]string, error) { return e.data(p) }) // if it fails, Error has the answer
	}
	r.Refused = admission(func() (field.ErrorList, error) { return e.admit(p) })
	return r, worker, nil
}

// admission returns what admission refuses. If admission panics, the input counts as refused.
func admission(ask func() (field.ErrorList, error)) []string {
	all, err := protected(func() ([]string, error) {
		refusal, err := ask()
		return refused(refusal), err
	})
	switch {
	case err == nil:
		return all
	case strings.HasPrefix(err.Error(), "panic"):
		return []string{"panic"}
	}
	return []string{"decoder"}
}

// protected turns a panic into an error.
func protected(f func() ([]string, error)) (answer []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer = nil
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// refused returns the kinds and fields of the errors of admission, without their texts.
func refused(errs field.ErrorList) (texts []string) {
	for _, e := range errs {
		texts = append(texts, string(e.Type)+" "+e.Field)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
