package hotupdate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestDescribe: what a value stands for, what says so, and whether it may be shown.
func TestDescribe(t *testing.T) {
	var spec openAPI
	require.NoError(t, yaml.Unmarshal([]byte(`
type: object
properties:
  byPattern: {type: string, pattern: '^([0-9]+(s|m|h))+$'}
  byFormat: {type: string, format: date-time}
  size: {type: array, items: {type: object, properties: {limit: {type: object, additionalProperties: {type: string, pattern: '^[0-9]+Gi$'}}}}}
  told: {type: array, items: {type: string}}
  back: {type: string, pattern: '^[0-9]+h$'}
  either: {x-kubernetes-int-or-string: true}
  secret: {type: string, format: password}
  free: {x-kubernetes-preserve-unknown-fields: true}
  text: {type: string}`), &spec))
	byCRD, err := hotupdate.SchemaOfCRD(crdOf(t, spec), "v1", hotupdate.WithTag("told", "false,set,as=cidr"), hotupdate.WithTag("back", "false,as=text"),
		hotupdate.WithTag("either", "false,as=quantity"), hotupdate.WithTag("free", "false,sensitive=keys"))
	require.NoError(t, err)
	for pointer, want := range map[string]hotupdate.Description{
		"":                     {Sensitive: true},
		"/byPattern":           {As: "duration", By: "its pattern"},
		"/byFormat":            {As: "time", By: "its format"},
		"/size/0/limit/cpu":    {As: "quantity", By: "its pattern"},
		"/size/0/limit":        {},
		"/told/3":              {As: "cidr", By: "the option as"},
		"/told":                {},
		"/back":                {},
		"/either":              {As: "quantity", By: "the option as"},
		"/secret":              {Sensitive: true},
		"/free/a/b":            {Sensitive: true, SensitiveKeys: true},
		"/text":                {},
		"/other":               {Sensitive: true, SensitiveKeys: true},
		"/size/0/other/deeper": {Sensitive: true, SensitiveKeys: true},
		"text":                 {Sensitive: true, SensitiveKeys: true},
	} {
		assert.Equal(t, want, byCRD.Describe(pointer), pointer)
	}
	assert.Equal(t, hotupdate.Description{As: "quantity", By: "its type"}, schemaFor[nodeClass](t).Describe("/size"))
	assert.Equal(t, hotupdate.Description{Sensitive: true, SensitiveKeys: true}, (*hotupdate.Schema)(nil).Describe(""))
}
