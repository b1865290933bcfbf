package schemabridge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/hotupdate/providerconfig/internal/crd"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
)

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
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
              text: {type: string}`

// TestDescribe: what a value stands for, what says so, and whether it may be shown.
func TestDescribe(t *testing.T) {
	raw, err := yaml.YAMLToJSON([]byte(definition))
	require.NoError(t, err)
	plan, err := crd.Compile(raw, "v1", []fieldplan.Override{
		{Path: "told", Tag: "false,set,as=cidr"},
		{Path: "back", Tag: "false,as=text"},
		{Path: "either", Tag: "false,as=quantity"},
		{Path: "free", Tag: "false,sensitive=keys"},
	})
	require.NoError(t, err)
	byCRD := schemabridge.New(plan)
	for pointer, want := range map[string]schemabridge.Description{
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
	type sized struct {
		Size resource.Quantity `json:"size"`
	}
	assert.Equal(t, schemabridge.Description{As: "quantity", By: "its type"}, schemaOf[sized](t).Describe("/size"))
	unknown := schemabridge.Description{Sensitive: true, SensitiveKeys: true}
	assert.Equal(t, unknown, (*schemabridge.Schema)(nil).Describe(""))
}
