package policy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.a.example}
spec:
  group: a.example
  names: {kind: Pool, plural: pools}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: string}
              namespace: {type: string}
              kernel-args: {type: string}
              image: {type: string}
              tags: {type: object, additionalProperties: {type: string}}
              disks: {type: array, items: {type: object, properties: {size: {type: string}, note: {type: string}}}}
              mounts: {type: object, additionalProperties: {type: object, properties: {path: {type: string}, note: {type: string}}}}
`

const classes = `size: false
namespace: false
kernel-args: false
image: inplace
tags: true
disks[].size: false
disks[].note: true
mounts: false
`

// TestResources: a policy for a custom resource warns according to the classes of its fields.
func TestResources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	policies := policiesOf(t, "--crd", file("crd.yaml", definition), "--classes", file("classes.yaml", classes))
	require.Len(t, policies, 1)
	policy := policies[0]
	assert.Equal(t, "hotupdate.pools.v1.a.example", policy.name)
	object := func(spec string) []byte {
		text, err := json.Marshal(map[string]any{
			"apiVersion": "a.example/v1", "kind": "Pool", "metadata": map[string]any{"name": "a"}, "spec": json.RawMessage(spec),
		})
		require.NoError(t, err)
		return text
	}
	const more = "; hotupdate plan tells more"
	for name, test := range map[string]struct {
		old, updated string
		want         []string
	}{
		"nothing":       {`{"size":"1"}`, `{"size":"1"}`, nil},
		"replaced":      {`{"size":"1","tags":{"a":"b"}}`, `{"size":"2","tags":{}}`, []string{"machines are replaced: size" + more}},
		"set":           {`{}`, `{"size":"2"}`, []string{"machines are replaced: size" + more}},
		"odd names":     {`{}`, `{"namespace":"2","kernel-args":"a"}`, []string{"machines are replaced: kernel-args, namespace" + more}},
		"in place":      {`{"image":"1"}`, `{"image":"2"}`, []string{"nodes are updated in place: image" + more}},
		"hot":           {`{"tags":{"a":"b"}}`, `{"tags":{"a":"c"}}`, nil},
		"hot in a list": {`{"disks":[{"size":"1","note":"a"}]}`, `{"disks":[{"size":"1","note":"b"}]}`, nil},
		"size in a list": {
			`{"disks":[{"size":"1"}]}`, `{"disks":[{"size":"2"}]}`, []string{"machines are replaced: disks[].size" + more},
		},
		"a longer list": {`{"disks":[]}`, `{"disks":[{"size":"2"}]}`, []string{"machines are replaced: disks[].size" + more}},
		"path in a map": {
			`{"mounts":{"a":{"path":"1"}}}`, `{"mounts":{"a":{"path":"2"}}}`,
			[]string{"machines are replaced: mounts[].note, mounts[].path" + more},
		},
		"another key": {
			`{"mounts":{"a":{"path":"1"}}}`, `{"mounts":{"b":{"path":"1"}}}`,
			[]string{"machines are replaced: mounts[].note, mounts[].path" + more},
		},
		"null and nothing": {`{"disks":null}`, `{"disks":null}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			warnings, problems := policy.warned(t, object(test.old), object(test.updated))
			assert.Empty(t, problems)
			assert.Equal(t, test.want, warnings)
		})
	}
}

const collections = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.a.example}
spec:
  group: a.example
  names: {kind: Pool, plural: pools}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              labels: {type: object, additionalProperties: {type: string}}
              notes: {type: object, additionalProperties: {type: string}}
              disks: {type: array, items: {type: object, properties: {size: {type: string}, parts: {type: array, items: {type: object, properties: {a: {type: string}}}}}}}
              mounts: {type: object, additionalProperties: {type: object, properties: {path: {type: string}}}}
              options: {type: object, properties: {a: {type: string}, fixed: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}}
`

const classesOfCollections = `labels: "true,keyclass=false:team/*,keyclass=inplace:team/node,keyclass=true:team/a/*"
notes: "false"
notes["free"]: ignore
disks: "false"
disks[].size: true
disks[].parts: "false"
disks[].parts[].a: true
mounts: "false"
mounts[].path: true
options: "false,presence"
options.a: true
`

// TestCollections: a policy warns where a single key of a map has another class, where elements that are only hot are
// added or removed, where the presence of an object has a meaning, and where a rule of the CRD makes a field immutable.
func TestCollections(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crd := filepath.Join(dir, "crd.yaml")
	file := filepath.Join(dir, "classes.yaml")
	require.NoError(t, os.WriteFile(crd, []byte(collections), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(classesOfCollections), 0o600))
	policies := policiesOf(t, "--crd", crd, "--classes", file)
	require.Len(t, policies, 1)
	object := func(spec string) []byte {
		return []byte(`{"apiVersion":"a.example/v1","kind":"Pool","metadata":{"name":"a"},"spec":` + spec + `}`)
	}
	const replaced = "machines are replaced: "
	for _, test := range []struct{ old, updated, want string }{
		{`{"labels":{"a":"b"}}`, `{"labels":{"a":"c","team/a/x":"d"}}`, ""},
		{`{"labels":{"team/x":"b"}}`, `{"labels":{"team/x":"c"}}`, replaced + "labels"},
		{`{"labels":{"team/x":"b","team/y":"b"}}`, `{"labels":{"team/y":"b","team/x":"b"}}`, ""},
		{`{"labels":{"team/x":"b","team/y":"c"}}`, `{"labels":{"team/x":"c","team/y":"b"}}`, replaced + "labels"},
		{`{}`, `{"labels":{"team/x":"c"}}`, replaced + "labels"},
		{`{"labels":null}`, `{"labels":{}}`, ""},
		{`{"labels":{"team/node":"b"}}`, `{"labels":{"team/node":"c"}}`, "nodes are updated in place: labels"},
		{`{"notes":{"a":"b","free":"c"}}`, `{"notes":{"a":"b","free":"d"}}`, ""},
		{`{"notes":{"a":"b","free":"c"}}`, `{"notes":{"a":"c","free":"c"}}`, replaced + "notes"},
		{`{"disks":[{"size":"a"}]}`, `{"disks":[{"size":"b"}]}`, ""},
		{`{"disks":[{"size":"a"}]}`, `{"disks":[{"size":"a"},{"size":"b"}]}`, replaced + "disks[].parts"},
		{`{"disks":[{"parts":[{"a":"b"}]}]}`, `{"disks":[{"parts":[{"a":"c"}]}]}`, ""},
		{`{"disks":[{"parts":[]}]}`, `{"disks":[{"parts":[{"a":"c"}]}]}`, replaced + "disks[].parts"},
		{`{"mounts":{"a":{"path":"b"}}}`, `{"mounts":{"a":{"path":"c"}}}`, ""},
		{`{"mounts":{"a":{"path":"b"}}}`, `{"mounts":{"b":{"path":"b"}}}`, replaced + "mounts"},
		{`{}`, `{"options":{}}`, replaced + "options"},
		{`{"options":{"a":"b"}}`, `{"options":{"a":"c"}}`, ""},
		{`{"options":{"fixed":"b"}}`, `{"options":{"fixed":"c"}}`, replaced + "options.fixed"},
	} {
		warnings, problems := policies[0].warned(t, object(test.old), object(test.updated))
		assert.Empty(t, problems)
		want := []string{test.want + "; hotupdate plan tells more"}
		if test.want == "" {
			want = nil
		}
		assert.Equal(t, want, warnings, "%s to %s", test.old, test.updated)
	}
}

// TestBuiltIn: kinds with built-in classes need no --classes.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	require.NoError(t, os.WriteFile(crd, []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: machinedeployments.cluster.x-k8s.io}
spec:
  group: cluster.x-k8s.io
  names: {kind: MachineDeployment, plural: machinedeployments}
  versions:
  - name: v1beta1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer}
              template:
                type: object
                properties:
                  spec: {type: object, properties: {version: {type: string}, nodeDrainTimeout: {type: string}}}
`), 0o600))
	policies := policiesOf(t, "--crd", crd)
	require.Len(t, policies, 1)
	object := func(version, timeout string, replicas int) []byte {
		text, err := json.Marshal(map[string]any{
			"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "MachineDeployment", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{
				"replicas": replicas, "template": map[string]any{"spec": map[string]any{"version": version, "nodeDrainTimeout": timeout}},
			},
		})
		require.NoError(t, err)
		return text
	}
	warnings, problems := policies[0].warned(t, object("v1.33.0", "1m", 1), object("v1.34.0", "2m", 2))
	assert.Empty(t, problems)
	assert.Equal(t, []string{"machines are replaced: template.spec.version; hotupdate plan tells more"}, warnings)
	warnings, problems = policies[0].warned(t, object("v1.33.0", "1m", 1), object("v1.33.0", "2m", 2))
	assert.Empty(t, problems)
	assert.Empty(t, warnings)
}
