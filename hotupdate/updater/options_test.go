package updater_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
	"github.com/hotupdate/providerconfig/tags"
)

// TestOptions: New tells all problems at once. Negative Workers would update no machine, silently.
func TestOptions(t *testing.T) {
	fieldsOf := func(options updater.Options) (fields []string) {
		_, err := updater.New(options)
		require.Error(t, err)
		for _, problem := range fault.All(err) {
			assert.Equal(t, "unusable-options", problem.Code)
			assert.NotEmpty(t, problem.Hint)
			fields = append(fields, problem.Field)
		}
		return fields
	}
	assert.Equal(t, []string{"Control", "Namespace", "Driver"}, fieldsOf(updater.Options{}))
	negative := updater.Options{Control: &rest.Config{}, Namespace: "n", Workers: -1}
	assert.Equal(t, []string{"Workers", "Driver"}, fieldsOf(negative))
}

// kit is a driver on the kit.
type kit = *driver.Kit[providerSpec, any]

// TestSilentWirings: what would update no machine, or take the process down later, is an error of New.
func TestSilentWirings(t *testing.T) {
	schema, err := hotupdate.SchemaOf[providerSpec]()
	require.NoError(t, err)
	rules, err := tags.AWS.Rules(tags.VM)
	require.NoError(t, err)
	made, err := driver.New(driver.Definition[providerSpec, any]{
		Schema: schema,
		Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *providerSpec) (any, error) {
			return struct{}{}, nil
		},
		Resources: func(context.Context, any) ([]driver.Resource, error) { return nil, nil },
		Tags: []driver.Tagging[providerSpec, any]{{
			Kinds: []tags.Kind{tags.VM}, Rules: rules,
			Project: func(spec *providerSpec, _ tags.Kind) map[string]string { return spec.Tags },
			Set:     func(context.Context, any, []string, []tags.Tag) error { return nil },
			Remove:  func(context.Context, any, []string, []tags.Tag) error { return nil },
		}},
	})
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		spoil func(o *updater.Options)
		want  []string // code and field
	}{
		"nothing": {func(*updater.Options) {}, nil},
		"zero Schema": {
			func(o *updater.Options) { o.Driver = described{machineupdate.Driver{Schema: &hotupdate.Schema{}}} },
			[]string{"unusable-schema Schema"},
		},
		"nil Schema":              {func(o *updater.Options) { o.Driver = described{} }, []string{"unusable-schema Schema"}},
		"nil Kit":                 {func(o *updater.Options) { o.Driver = kit(nil) }, []string{"unusable-options Driver"}},
		"driver around a nil Kit": {func(o *updater.Options) { o.Driver = struct{ kit }{} }, []string{"unusable-options Driver"}},
		"zero Limiter": {
			func(o *updater.Options) { o.Limiter = &machineupdate.Limiter{} }, []string{"unusable-limiter Every", "unusable-limiter Burst"},
		},
		"Limiter without Burst": {
			func(o *updater.Options) { o.Limiter = &machineupdate.Limiter{Every: 1} }, []string{"unusable-limiter Burst"},
		},
		"lane that does not exist": {func(o *updater.Options) { o.Driver = laned(schema) }, []string{"invalid-lane "}},
	} {
		t.Run(name, func(t *testing.T) {
			options := updater.Options{Control: &rest.Config{}, Namespace: "n", Driver: made}
			tc.spoil(&options)
			_, err := updater.New(options)
			var problems []string
			for _, problem := range fault.All(err) {
				assert.NotEmpty(t, problem.Hint)
				problems = append(problems, problem.Code+" "+problem.Field)
			}
			assert.Equal(t, tc.want, problems)
			assert.Equal(t, tc.want == nil, err == nil)
		})
	}
}

// laned is a driver with a lane whose path the Schema does not have.
func laned(schema *hotupdate.Schema) described {
	return described{machineupdate.Driver{
		Schema: schema, Kinds: []string{"vm"}, Lanes: []machineupdate.Lane{{Name: "a", Paths: []string{"/none"}}},
	}}
}
