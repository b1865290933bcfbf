package released

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Trial has what the tests of a driver need to know of its cloud.
type Trial struct {
	Folder  string // the folder of the MachineClasses
	Rules   func(kind tags.Kind) (tags.Rules, error)
	Request machineupdate.UpdateMachineRequest // with Machine, ProviderID and Secret
	// Adapt changes a provider spec so that it names places of the fake cloud. It may be nil.
	Adapt func(spec map[string]any)
	// Path has the members above the tags, such as spec.
	Path []string
	// Flat is the name of the flat map. Label is a key that the extension writes into it for a
	// label of the pool.
	Flat, Label string
	// PerKind are the tags of single kinds that the update adds.
	PerKind tags.Tags
	// Launched are the resources that the driver creates for a class, and resources of others, all without
	// the tags of single kinds.
	Launched func(tb testing.TB, class *Class) []driver.Resource
	// IsOthers reports whether a resource belongs to others. Nil: none does.
	IsOthers func(r *driver.Resource) bool
	// LeftAlone has, by pool, the keys that the driver leaves alone, as the warning lists them.
	LeftAlone map[string]string
	Unchanged []string // see drivertest.Setup
	New       func(cloud fleet.Cloud, wait func(context.Context, time.Duration) error) (Kit, error)
}

// withLabel returns a version of a class with another label of its pool.
func (c *Trial) withLabel(tb testing.TB, class *Class, label string, perKind *tags.Tags) Class {
	tb.Helper()
	return class.With(tb, func(spec map[string]any) {
		if c.Adapt != nil {
			c.Adapt(spec)
		}
		at := c.tagged(spec)
		if label != "" {
			at[c.Flat].(map[string]any)[c.Label] = label //nolint:forcetypeassert // the extension writes it
		}
		if perKind != nil {
			at["resourceTags"] = perKind
		}
	})
}

// tagged returns the object that has the flat map.
func (c *Trial) tagged(spec map[string]any) map[string]any {
	for _, member := range c.Path {
		spec = spec[member].(map[string]any) //nolint:forcetypeassert // the extension writes it
	}
	return spec
}

// FlatOf returns the flat map of a class.
func (c *Trial) FlatOf(tb testing.TB, class *Class) map[string]string {
	tb.Helper()
	return Texts(tb, c.tagged(class.Spec)[c.Flat])
}

// resources are the resources of a class with the tags of single kinds.
func (c *Trial) resources(tb testing.TB, class *Class, perKind *tags.Tags) []driver.Resource {
	tb.Helper()
	all := c.Launched(tb, class)
	for i := range all {
		if c.IsOthers == nil || !c.IsOthers(&all[i]) {
			all[i].Tags = Joined(all[i].Tags, perKind.Of(all[i].Kind))
		}
	}
	return all
}

// Updates tests each class on a machine: the driver adopts the machine, a label of the pool
// changes, and each kind gets tags of its own. All other tags stay unchanged.
func (c *Trial) Updates(t *testing.T) {
	t.Helper()
	for _, class := range Classes(t, c.Folder) {
		t.Run(class.Pool, func(t *testing.T) {
			created := c.withLabel(t, &class, "", nil)
			updated := c.withLabel(t, &class, "test", &c.PerKind)
			f := fleet.New(c.Rules)
			f.Add(c.Launched(t, &created)...)
			kit, err := c.New(f, nil)
			fatal(t, err)
			warnings := Update(t, kit, c.Request.Machine, c.Request.ProviderID, c.Request.Secret, created, updated)
			left := c.LeftAlone[class.Pool]
			for _, warning := range warnings {
				if left == "" || !strings.Contains(warning, "HotUpdateNotApplied: the infrastructure tags "+left) {
					t.Errorf("event %s", warning)
				}
			}
			if left != "" && len(warnings) == 0 {
				t.Errorf("no event says that %s are left alone", left)
			}
			live, err := f.Resources(t.Context())
			fatal(t, err)
			want := c.resources(t, &updated, &c.PerKind)
			for i := range live {
				diff(t, &want[i], &live[i])
			}
		})
	}
}

// diff compares the tags of a resource.
func diff(tb testing.TB, want, got *driver.Resource) {
	tb.Helper()
	for key, value := range want.Tags {
		if live, isLive := got.Tags[key]; !isLive || live != value {
			tb.Errorf("%s %s: %s is %q, not %q", got.Kind, got.ID, key, live, value)
		}
	}
	for key := range got.Tags {
		if _, isWanted := want.Tags[key]; !isWanted {
			tb.Errorf("%s %s has %s", got.Kind, got.ID, key)
		}
	}
}

// Conforms checks that the driver keeps its promises with each class, see [drivertest.Check].
func (c *Trial) Conforms(t *testing.T) {
	t.Helper()
	for _, class := range Classes(t, c.Folder) {
		t.Run(class.Pool, func(t *testing.T) {
			state := func(label string, perKind tags.Tags) drivertest.State {
				changed := c.withLabel(t, &class, label, &perKind)
				return drivertest.State{Spec: changed.JSON(t), Resources: c.resources(t, &changed, &perKind)}
			}
			setup := drivertest.Setup{Rules: c.Rules, Request: c.Request, Unchanged: c.Unchanged}
			drivertest.Check(t, setup, func(cloud *drivertest.FakeCloud) (Kit, error) {
				return c.New(cloud, cloud.Wait)
			}, state("test", c.PerKind), state("live", tags.Tags{}))
		})
	}
}
