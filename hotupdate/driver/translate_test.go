package driver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// failing returns a world in which the functions that call the cloud fail with the error that fails returns for their names.
func failing(t *testing.T, fails func(function string) error) *world {
	t.Helper()
	w := newWorld(t)
	connect := w.definition.Connect
	w.definition.Connect = func(ctx context.Context, r *machineupdate.UpdateMachineRequest, class *providerSpec) (*world, error) {
		_, err := connect(ctx, r, class)
		return w, errors.Join(err, fails("Connect"))
	}
	w.definition.Resources = func(context.Context, *world) ([]driver.Resource, error) {
		live := w.read()
		for i := range live {
			live[i].Sets = map[string][]string{"groups": {"others"}}
			live[i].Attributes = map[string]driver.Reading{"size": driver.Settled("1")}
		}
		return live, fails("Resources")
	}
	w.definition.Tags[0].Set = func(context.Context, *world, []string, []tags.Tag) error { return fails("Set") }
	w.definition.Tags[0].Remove = func(context.Context, *world, []string, []tags.Tag) error { return fails("Remove") }
	w.definition.Groups = []driver.AttributeGroup[providerSpec, *world]{{
		Kind: tags.VM, Attributes: driver.Attributes{Defaults: map[string]string{"size": ""}},
		Project: func(*providerSpec, *driver.Resource) map[string]string { return map[string]string{"size": "2"} },
		Modify:  func(context.Context, *world, *driver.Resource, map[string]string) error { return fails("Modify") },
	}}
	w.definition.Sets = []driver.Set[providerSpec, *world]{{
		Kind: tags.VM, Name: "groups",
		Members: func(spec *providerSpec, _ *driver.Resource) []string {
			if spec.Tags == nil {
				return []string{"new"}
			}
			return []string{"others"}
		},
		AddMember:    func(context.Context, *world, *driver.Resource, string) error { return fails("AddMember") },
		RemoveMember: func(context.Context, *world, *driver.Resource, string) error { return fails("RemoveMember") },
	}}
	return w
}

// exchange removes a tag, changes an attribute and exchanges the member of a set.
func (w *world) exchange(t *testing.T) error {
	t.Helper()
	one := uniform(map[string]string{"mine": "1"})
	return w.kit().UpdateMachine(t.Context(), w.request(&providerSpec{Tags: &one}, &providerSpec{}))
}

// TestTranslate: the errors of all functions are translated, so that the kit makes their calls again.
func TestTranslate(t *testing.T) {
	for _, function := range []string{"Connect", "Resources", "Remove", "Modify", "AddMember", "RemoveMember"} {
		attempts := 0
		w := failing(t, func(called string) error {
			if called != function {
				return nil
			}
			attempts++
			return fmt.Errorf("%s: %w", called, errCloud)
		})
		w.definition.Translate = func(cloud *world, err error) error {
			assert.Same(t, w, cloud, function)
			require.ErrorIs(t, err, errCloud)
			return answer.Unavailable(err)
		}
		err := w.exchange(t)
		require.ErrorIs(t, err, errCloud, function)
		assert.Equal(t, 4, attempts, function)
	}
}

// TestTranslateReads: the read before an unguarded Replace is translated too.
func TestTranslateReads(t *testing.T) {
	reads := 0
	w := failing(t, func(called string) error {
		if called == "Resources" {
			reads++
			if reads == 2 {
				return errCloud
			}
		}
		return nil
	})
	w.definition.Tags[0].Rules.Guard = tags.Unguarded
	w.definition.Tags[0].Set = nil
	w.definition.Tags[0].Remove = nil
	w.definition.Tags[0].Replace = func(context.Context, *world, *driver.Resource, map[string]string) error { return nil }
	w.definition.Translate = func(_ *world, err error) error { return answer.Unavailable(err) }
	require.NoError(t, w.exchange(t))
	assert.GreaterOrEqual(t, reads, 3, "it is read again")
}

// TestTranslateLeaves: an error that says what it means is not translated, and no error becomes none.
func TestTranslateLeaves(t *testing.T) {
	told := []error{
		machineupdate.ErrNotFound, machineupdate.ErrPending, machineupdate.ErrUnavailable,
		&machineupdate.RetryError{After: time.Hour, Err: errCloud},
		errors.New("machine codes error: code = [NotFound] message = [gone]"),
	}
	for _, failure := range told {
		w := failing(t, func(called string) error { return map[string]error{"Resources": failure}[called] })
		w.definition.Translate = func(*world, error) error {
			assert.Fail(t, "translated", "%v", failure)
			return nil
		}
		require.ErrorIs(t, w.exchange(t), failure)
	}
	for _, function := range []string{"Connect", "Resources", "Remove"} {
		w := failing(t, func(called string) error { return map[string]error{function: errCloud}[called] })
		w.definition.Translate = func(*world, error) error { return nil }
		require.ErrorIs(t, w.exchange(t), errCloud, function)
	}
}

// TestTranslatePanics: a panic of Translate is an error of the update.
func TestTranslatePanics(t *testing.T) {
	for _, function := range []string{"Connect", "Resources", "Remove"} {
		w := failing(t, func(called string) error { return map[string]error{function: errCloud}[called] })
		w.definition.Translate = func(*world, error) error { panic("of Translate") }
		err := w.exchange(t)
		problem, ok := errors.AsType[*machineupdate.PanicError](err)
		if assert.True(t, ok, function) {
			assert.Equal(t, "of Translate", problem.Value)
		}
	}
}

// TestSchemaOfTheSpec: without a Schema the kit has that of the provider spec.
func TestSchemaOfTheSpec(t *testing.T) {
	w := newWorld(t)
	want := w.kit().Describe()
	w.definition.Schema = nil
	assert.Equal(t, string(want), string(w.kit().Describe()))
}
