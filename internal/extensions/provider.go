package extensions

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/provider"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// naming selects the eras of today's release or the eras after adoption.
type naming int

const (
	adopted naming = iota
	released
)

// provider returns the extension as the command sees it.
func (e *Extension) provider() provider.Provider {
	p := provider.Provider{
		Name: e.Name, Release: e.Release,
		APIVersion: e.Name + ".provider.extensions.gardener.cloud/v1alpha1", Kind: "WorkerConfig",
		Schema: e.schema, New: []string{"tags"}, Versions: e.versions(), Traits: e.traits,
		Serve: e.serve(adopted), ServeReleased: e.serve(released),
	}
	if e.Ignores {
		p.New = nil
		p.ServeReleased = nil
		p.Ignores = true
		p.ReadsFrom = CanonicalFrom
	}
	p.Adopted = func(w *provider.WorkerPool) (provider.Additional, error) {
		return e.additional(e.inState(w), adopted)
	}
	p.Released = func(w *provider.WorkerPool) (provider.Additional, error) { return e.Today(e.inState(w)) }
	p.Recorded = []string{e.Earlier, e.Release}
	p.Since = e.ListSince
	p.SinceKubernetes = e.ListFrom
	p.FallsBackBefore = e.FallsBackBefore
	p.At = func(release string) provider.Provider { return e.atRelease(release, p) }
	return p
}

// atRelease returns the provider as a release has it: how the release names pools, and its traits.
func (e *Extension) atRelease(release string, today provider.Provider) provider.Provider {
	at := today
	named := e.At(release)
	at.Released = func(w *provider.WorkerPool) (provider.Additional, error) { return named.Today(named.inState(w)) }
	at.FallsBack = today.FallsBack || isBefore(release, e.FallsBackBefore)
	at.LacksInPlace = isBefore(release, e.InPlaceSince)
	return at
}

// schema returns the Schema of the config after adoption.
func (e *Extension) schema() (*hotupdate.Schema, error) { return load(e.Name) }

// stripSchema returns the Schema by which the era of raw bytes strips a config after adoption.
func (e *Extension) stripSchema() (*hotupdate.Schema, error) {
	if e.hotLater {
		return load(e.Name + "-raw-bytes")
	}
	return e.schema()
}

// loaded has a function for each name of a Schema. It compiles the Schema once.
var loaded sync.Map

func load(name string) (*hotupdate.Schema, error) {
	once := sync.OnceValues(func() (*hotupdate.Schema, error) { return compile(name) })
	found, _ := loaded.LoadOrStore(name, once)
	return found.(func() (*hotupdate.Schema, error))() //nolint:forcetypeassert // only this function stores
}

func compile(name string) (*hotupdate.Schema, error) {
	text, err := schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil, err
	}
	document, err := schemajson.ReadOwn(string(text)) // a test loads all Schemas
	if err != nil {
		return nil, err
	}
	plan, err := document.Compile()
	if err != nil {
		return nil, err
	}
	return (*hotupdate.Schema)(schemabridge.New(plan)), nil
}

// chosenEras returns the eras of a naming. The eras of the release lack the canonical ones.
func (e *Extension) chosenEras(chosen naming) (*hash.Eras[Pool], error) {
	schema, err := e.schema()
	if err != nil {
		return nil, err
	}
	rolling, inPlace := e.eras(schema)
	if chosen == released {
		rolling = rolling[:len(rolling)-1]
		inPlace = inPlace[:len(inPlace)-1]
	}
	return hash.NewEras(rolling, inPlace)
}

// check decodes the config as strictly as the extension does in every era that reads it. An
// unreadable version is reported by the eras.
func (e *Extension) check(p *provider.WorkerPool) error {
	if e.Ignores && isBelow(p.KubernetesVersion, CanonicalFrom) {
		return nil
	}
	schema, err := e.schema()
	if err != nil {
		return err
	}
	if _, err := schema.Decode(p.ProviderConfig); err != nil {
		return fmt.Errorf("worker pool %s: %w", p.Name, err)
	}
	return nil
}

// isBelow reports whether a version is below a minor. A missing version is below every minor.
func isBelow(version *string, minor string) bool {
	if version == nil {
		return true
	}
	is, isKnown := kubeminor.Read(*version)
	first, _ := kubeminor.Read(minor)
	return isKnown && is.Compare(first) < 0
}

// inState returns a pool with the state that its Worker has.
func (e *Extension) inState(w *provider.WorkerPool) Pool {
	pool := Pool{WorkerPool: w}
	if e.traits.State != nil {
		pool.State = stateOf(e.traits.State(w))
	}
	return pool
}

// Today returns what the release adds to the name of a pool with this state.
func (e *Extension) Today(pool Pool) (provider.Additional, error) {
	return e.additional(pool, released)
}

func (e *Extension) additional(pool Pool, chosen naming) (provider.Additional, error) {
	eras, err := e.chosenEras(chosen)
	if err != nil {
		return provider.Additional{}, err
	}
	if err := e.check(pool.WorkerPool); err != nil {
		return provider.Additional{}, err
	}
	era, _, err := eras.Explain(pool.UpdateStrategy, pool.KubernetesVersion)
	if err != nil {
		return provider.Additional{}, fmt.Errorf("worker pool %s: %w", pool.Name, err)
	}
	lists, err := eras.AdditionalData(pool.UpdateStrategy, pool.KubernetesVersion, pool.ProviderConfig, pool)
	return provider.Additional{Era: era, Data: slices.Concat(lists.Rolling, lists.InPlace)}, err
}

func (e *Extension) serve(chosen naming) func(io.Reader, io.Writer) error {
	return func(in io.Reader, out io.Writer) error {
		return hash.ServeEras(in, out, func(text []byte) (*hash.Eras[Pool], Pool, error) {
			p, err := readPool(text)
			if err != nil {
				return nil, Pool{}, err
			}
			eras, err := e.chosenEras(chosen)
			if err != nil {
				return nil, Pool{}, err
			}
			return eras, Pool{WorkerPool: p}, e.check(p)
		})
	}
}

// readPool reads a pool of a Worker.
func readPool(text []byte) (*provider.WorkerPool, error) {
	var read struct {
		provider.WorkerPool

		UpdateStrategy string `json:"updateStrategy"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, err
	}
	if string(read.ProviderConfig) == "null" {
		read.ProviderConfig = nil
	}
	var err error
	read.WorkerPool.UpdateStrategy, err = hotupdate.ParseStrategy(read.UpdateStrategy)
	return &read.WorkerPool, err
}

// versions returns the first minor of each era; the first one is empty.
func (e *Extension) versions() (list []string) {
	rolling, inPlace := e.eras(nil)
	for _, era := range slices.Concat(rolling, inPlace) {
		list = append(list, era.From)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
