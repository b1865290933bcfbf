package exampletest

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/examples/internal/gardener"
	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

// Provider is an example extension with its driver's type: a row of the checks that are the same
// for all providers. C is the WorkerConfig, I its internal type, and S the driver's provider spec.
// A field may be nil only if its comment says so.
type Provider[C, I, S any] struct {
	// APIVersion and Kind identify the WorkerConfig.
	APIVersion, Kind string
	// Schema returns the Schema of the WorkerConfig, and SpecSchema the Schema of the provider
	// spec.
	Schema, SpecSchema func() (*hotupdate.Schema, error)
	// RawBytesSchema returns the Schema by which the era of raw bytes strips a config; nil if
	// Schema does.
	RawBytesSchema func() (*hotupdate.Schema, error)
	// ToInternal and FromInternal convert the WorkerConfig.
	ToInternal   func(*C) *I
	FromInternal func(*I) *C
	// Hash is the extension's GenerateWorkerPoolHash.
	Hash func(*gardener.WorkerPool) (hash.Name, error)
	// Spec returns the provider spec of a pool.
	Spec func(*gardener.WorkerPool) (*S, error)

	// Pairs are the changes below testdata.
	Pairs []Pair
	// Eras has a Kubernetes version of each era before the canonical one.
	Eras []string
	// RemoveBecameHot removes from a config the hot fields that older eras hash; nil if there are
	// none.
	RemoveBecameHot func(*C)
	// Unreached are the paths of values, objects and lists of the config whose changes need not
	// reach the provider spec; nil if there are none. The row says why.
	Unreached []string
	// AdjustReach changes the config of the checks of reach where the extension and the driver have
	// different classes for a field; nil if they have none.
	AdjustReach func(*C)
	// HotMembers has new values of hot members of the provider spec, by their JSON pointers.
	HotMembers map[string]any
}

// Test runs the checks in the folder of a provider. Update is the flag that writes golden files.
func (p *Provider[C, I, S]) Test(t *testing.T, update hotupdatetest.Option) {
	t.Helper()
	t.Run("Guarantees", p.testGuarantees)
	t.Run("Golden", func(t *testing.T) { p.testGolden(t, update) })
	t.Run("BuiltIn", p.testBuiltIn)
	t.Run("Conversion", p.testConversion)
	t.Run("Pairs", p.testPairs)
	t.Run("HotIsFree", p.testHotIsFree)
	t.Run("Reach", p.testReach)
	t.Run("EmptyObjects", p.testEmptyObjects)
	t.Run("MachineClasses", p.testMachineClasses)
}

// testGuarantees checks the library's guarantees on generated configs and provider specs.
func (p *Provider[C, I, S]) testGuarantees(t *testing.T) {
	hotupdatetest.Check[C](t, hotupdatetest.WithSchema(p.schema(t)))
	hotupdatetest.Check[S](t)
}

// testGolden keeps the hashes of this release. A failure says what the change would do to a fleet.
func (p *Provider[C, I, S]) testGolden(t *testing.T, update hotupdatetest.Option) {
	t.Helper()
	hotupdatetest.Golden[C](t, "testdata/workerconfig.golden.json", hotupdatetest.WithSchema(p.schema(t)), update)
	hotupdatetest.Golden[S](t, "testdata/providerspec.golden.json", update)
}

// Config returns the raw JSON of a WorkerConfig with the members.
func (p *Provider[C, I, S]) Config(members string) []byte {
	if members != "" {
		members = "," + members
	}
	return []byte(`{"apiVersion":"` + p.APIVersion + `","kind":"` + p.Kind + `"` + members + `}`)
}

// Sum returns the canonical sum of a raw provider config, nil for none.
func (p *Provider[C, I, S]) Sum(t *testing.T, raw []byte) string {
	t.Helper()
	sum, err := p.schema(t).HashRaw(raw)
	fatal(t, err)
	return sum.String()
}

// ProviderSpec returns the provider spec of a pool with a raw provider config, nil for none.
func (p *Provider[C, I, S]) ProviderSpec(t *testing.T, raw []byte) *S {
	t.Helper()
	spec, err := p.Spec(Pool(Canonical, raw))
	fatal(t, err)
	return spec
}

func (p *Provider[C, I, S]) schema(t *testing.T) *hotupdate.Schema {
	t.Helper()
	schema, err := p.Schema()
	fatal(t, err)
	return schema
}

func (p *Provider[C, I, S]) specSchema(t *testing.T) *hotupdate.Schema {
	t.Helper()
	schema, err := p.SpecSchema()
	fatal(t, err)
	return schema
}

// withTypeMeta sets the TypeMeta of a config.
func (p *Provider[C, I, S]) withTypeMeta(config *C) *C {
	typeMeta := metav1.TypeMeta{APIVersion: p.APIVersion, Kind: p.Kind}
	reflect.ValueOf(config).Elem().FieldByName("TypeMeta").Set(reflect.ValueOf(typeMeta))
	return config
}

// SpecOf returns a function for [Provider.Spec]. The function reads the pool, and then makes its
// provider spec, as an extension does.
func SpecOf[P, F, S any](
	newPool func(*gardener.WorkerPool) (P, error), newSpec func(P, *F) (*S, error), infrastructure *F,
) func(*gardener.WorkerPool) (*S, error) {
	return func(worker *gardener.WorkerPool) (*S, error) {
		pool, err := newPool(worker)
		if err != nil {
			return nil, err
		}
		return newSpec(pool, infrastructure)
	}
}
