package hash_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// simKind is the hash of an era.
type simKind uint8

const (
	simRaw       simKind = iota // the raw bytes without the Schema's hot members
	simList                     // a hand-written list of values
	simAllow                    // a sorted list of a few relevant values
	simCanonical                // the canonical document
)

// simEra is an era in the sources of a release.
type simEra struct {
	name     string
	kind     simKind
	from     int                        // the first minor; ignored in the first era
	shape    simShape                   // the fields of the Schema
	classes  map[string]hotupdate.Class // where the Schema differs from the struct tags
	exported string                     // the Schema's JSON, where the Go type has moved on
	bareNone bool                       // a raw config with only its TypeMeta contributes no string
	defect   simDefect                  // breaks a rule of eras
}

// String names the era without its Schema's JSON.
func (e simEra) String() string {
	return fmt.Sprintf(
		"%s from %d: kind %d, shape %+v, classes %v, JSON %t, no bare TypeMeta %t", e.name, e.from, e.kind, e.shape, e.classes,
		e.exported != "", e.bareNone,
	)
}

type simData func(raw []byte, pool simPool) ([]string, error)

type simDefect func(simData) simData

// data builds the era's function.
func (e simEra) data(t require.TestingT, loaded simLoaded) simData {
	var data simData
	switch e.kind {
	case simRaw:
		data = e.raw(loaded.schema(t, e))
	case simList:
		data = simListed
	case simAllow:
		data = simAllowed
	case simCanonical:
		data = hash.CanonicalData(loaded.schema(t, e), simPool.own)
	}
	if e.defect != nil {
		data = e.defect(data)
	}
	return data
}

// simLoaded holds the Schemas that a process has loaded, by their JSON.
type simLoaded map[string]*hotupdate.Schema

// schema is loaded from its JSON if the era has one.
func (l simLoaded) schema(t require.TestingT, e simEra) *hotupdate.Schema {
	if e.exported == "" {
		return e.shape.schema(t, e.classes)
	}
	if l[e.exported] == nil {
		schema, err := hotupdate.LoadSchema([]byte(e.exported))
		require.NoError(t, err)
		l[e.exported] = schema
	}
	return l[e.exported]
}

// export returns the era with its Schema as JSON: it no longer depends on the Go type.
func (e simEra) export(t require.TestingT) simEra {
	exported, err := json.Marshal(e.shape.schema(t, e.classes))
	require.NoError(t, err)
	e.exported = string(exported)
	return e
}

// grown returns the era with a Schema that also has the fields of a later generation.
func (e simEra) grown(t require.TestingT, generation int) simEra {
	e.shape.generation = max(e.shape.generation, generation)
	if e.exported != "" {
		e = e.export(t)
	}
	return e
}

// reclassified returns the era with another class for a field.
func (e simEra) reclassified(owner string, class hotupdate.Class) simEra {
	e.classes = maps.Clone(e.classes)
	if e.classes == nil {
		e.classes = map[string]hotupdate.Class{}
	}
	e.classes[owner] = class
	return e
}

// raw hashes the pool's own fields and the bytes without hot members.
func (e simEra) raw(schema *hotupdate.Schema) simData {
	return func(raw []byte, pool simPool) ([]string, error) {
		cut, err := schema.StripRawKeepNulls(raw)
		isBare := e.bareNone && hash.OnlyTypeMeta(cut)
		if err != nil || raw == nil || isBare {
			return pool.own(), err
		}
		return append(pool.own(), string(cut)), nil
	}
}

// simListed is a hand-written list: values without names. It forgot most of them.
func simListed(raw []byte, pool simPool) ([]string, error) {
	config := simDecoded(raw)
	data := pool.own()
	if v := config.Volume; v != nil && v.IOPS != nil {
		data = append(data, strconv.Itoa(int(*v.IOPS)))
	}
	if v := config.Volume; v != nil && v.Size != nil {
		data = append(data, strconv.FormatInt(v.Size.Value(), 10))
	}
	for _, v := range config.DataVolumes {
		data = append(data, v.Name)
	}
	return data, nil
}

// simAllowed is a list of what matters, sorted.
func simAllowed(raw []byte, pool simPool) ([]string, error) {
	config := simDecoded(raw)
	data := pool.own()
	for _, l := range config.MachineLabels {
		if l.Trigger {
			data = append(data, l.Name+"="+l.Value)
		}
	}
	slices.Sort(config.Zones)
	return append(data, slices.Compact(config.Zones)...), nil
}

// simDecoded returns the decoded config for hand-written functions.
func simDecoded(raw []byte) (config simV1) {
	_ = json.Unmarshal(raw, &config)
	return config
}

// simRelease is a release of the adopter.
type simRelease struct {
	generation     int // of the Go type, by which configs are decoded
	oldest, newest int // the minors that it supports
	eras           []simEra
	lenient        bool // breaks a rule: configs are not decoded before they are hashed

	built   rollingEras[simPool] // what the running process holds in memory
	decoder *hotupdate.Schema
	loaded  simLoaded
}

// start builds the memory of a process from its release alone.
func (r *simRelease) start(t require.TestingT) {
	r.loaded = simLoaded{}
	r.build(t)
}

func (r *simRelease) build(t require.TestingT) {
	r.decoder = simShape{generation: r.generation}.schema(t, nil)
	var list []hash.Era[simPool]
	for i, e := range r.eras {
		from := ""
		if i > 0 {
			from = "1." + strconv.Itoa(e.from)
		}
		list = append(list, hash.Era[simPool]{Name: e.name, From: from, Data: e.data(t, r.loaded)})
	}
	var err error
	r.built, err = newRolling(list)
	require.NoError(t, err)
}

// next returns a copy of the release. To save time its process inherits loaded Schemas.
func (r *simRelease) next() *simRelease {
	return &simRelease{
		generation: r.generation, oldest: r.oldest, newest: r.newest, eras: slices.Clone(r.eras), lenient: r.lenient, loaded: r.loaded,
	}
}

// last returns the last era.
func (r *simRelease) last() simEra { return r.eras[len(r.eras)-1] }

// index returns the index of the era in force for a pool.
func (r *simRelease) index(p simPool) int {
	in := 0
	for i, e := range r.eras {
		if i > 0 && !p.unversioned && e.from <= p.minor {
			in = i
		}
	}
	return in
}

// name hashes the pool like an extension: it decodes the config, gets the strings and composes them.
func (r *simRelease) name(p simPool) (hash.Name, error) {
	raw := p.raw()
	if _, err := r.decoder.Decode(raw); err != nil && !r.lenient {
		return hash.Name{}, err
	}
	data, err := r.built.AdditionalData(p.version(), raw, p)
	if err != nil {
		return hash.Name{}, err
	}
	worker := p.worker()
	secret, err := hash.NodeAgentSecretName(worker)
	if err != nil {
		return hash.Name{}, err
	}
	if p.strategy == hotupdate.AutoRollingUpdate {
		return hash.WorkerPool(&secret.Text, data...)
	}
	return hash.WorkerPoolInPlace(&secret.Text, worker, data...)
}

// simPool is a worker pool. A copy is a snapshot, because configurations are replaced and never changed.
type simPool struct {
	id           int
	strategy     hotupdate.Strategy
	minor, patch int
	unversioned  bool // the pool has no version; the cluster runs the minor
	machineType  string
	image        int
	encrypted    bool
	maximum      int // not hashed
	config       simConfig
	spelling     simSpelling
}

func (p simPool) own() []string { return []string{strconv.FormatBool(p.encrypted)} }

// raw returns the provider config in the pool.
func (p simPool) raw() []byte {
	if p.config == nil {
		return nil
	}
	return []byte(p.config.json(p.spelling, func(simField) bool { return true }))
}

// simPatches are versions of one minor.
var simPatches = []string{".0-rc.1", ".0", ".7", ".17+build.5"}

func (p simPool) cluster() string { return "v1." + strconv.Itoa(p.minor) + simPatches[p.patch] }

func (p simPool) version() *string {
	if p.unversioned {
		return nil
	}
	return new(p.cluster())
}

func (p simPool) worker() hash.Worker {
	return hash.Worker{
		Name: "pool-" + strconv.Itoa(p.id), UpdateStrategy: p.strategy, KubernetesVersion: p.cluster(), MachineType: p.machineType,
		Image: &hash.Image{Name: "image", Version: strconv.Itoa(p.image)},
	}
}

func strategies() []hotupdate.Strategy {
	return []hotupdate.Strategy{hotupdate.AutoRollingUpdate, hotupdate.AutoInPlaceUpdate, hotupdate.ManualInPlaceUpdate}
}
