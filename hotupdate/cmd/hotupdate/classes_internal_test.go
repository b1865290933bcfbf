package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/crds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/fieldclasses"
)

// widePool is a CRD whose fields take each kind of class.
const widePool = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
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
              labels: {type: object, additionalProperties: {type: string}}
              zones: {type: array, items: {type: string}}
              disks: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, size: {type: string}}}}
              mounts: {type: object, additionalProperties: {type: object, properties: {path: {type: string}, kind: {type: string}}}}
              options: {type: object, properties: {path: {type: string}, fixed: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// TestListedClassesMeanTheSame: what schema --crd lists is a file for --classes under which specs are compared alike,
// and fields have the same classes.
func TestListedClassesMeanTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	schema := func(args ...string) string {
		out := &strings.Builder{}
		problem := &strings.Builder{}
		std := streams{providers: extensions.All(), in: strings.NewReader(""), out: out, err: problem}
		require.Equal(t, exitOK, run(append([]string{"schema"}, args...), std), problem)
		return out.String()
	}
	crd := file("crd.yaml", widePool)
	file("aws.json", schema("aws"))
	rows := []string{
		`size: {class: indeterminate, reason: it depends}`, `size: "false,as=quantity,sensitive"`, `size: "true,default='a,b'"`,
		`labels: "true,keyclass=false:team/*,keyclass=ignore:a"`, `labels["a"]: inplace`, `zones: "false,set"`,
		`disks: "true"`, `disks: "false,key=name"`, `disks: "false,key=name,hotwhen=size:a"`, `disks[].size: "true"`,
		`mounts: "false,hotwhen=kind:a"`, `mounts: "false,keyclass=true:a"`, `mounts[].path: ignore`, `mounts: "true"`,
		`options: "true"`, `options: "inplace,presence"`, `options: "false,sensitive"`, `options.path: forbidden`,
		`free: {schema: aws.json}`, `free: {schema: aws.json, class: "true"}`, `free.volume.iops: "false,sensitive"`,
		`free.dataVolumes: "true"`, `free: ignore`, `kinds: {Pool.a.example: {removed: blocked}}`,
	}
	compared := 0
	for i, one := range rows {
		for _, other := range rows[i:] {
			text := one + "\n"
			if other != one {
				text += other + "\n"
			}
			given, err := crds.Read(crd, file("classes.yaml", text), strings.NewReader(""))
			of := facts.TypeMeta{APIVersion: "a.example/v1", Kind: "Pool"}
			before, schemaErr := given.Schema(of)
			if errors.Join(err, schemaErr, given.CheckClasses()) != nil {
				continue // two classes of one field, or a field of a Schema that is not named
			}
			compared++
			listed := schema("--crd", crd, "--classes", filepath.Join(dir, "classes.yaml"))
			again, err := crds.Read(crd, file("again.yaml", listed), strings.NewReader(""))
			require.NoError(t, err, "%s\n%s", text, listed)
			after, err := again.Schema(of)
			require.NoError(t, err, "%s\n%s", text, listed)
			findings, err := hotupdate.Compatibility(before, after)
			require.NoError(t, err)
			require.Empty(t, findings, "%s\n%s", text, listed)
			assert.Equal(t, classesIn(t, given, of), classesIn(t, again, of), text)
			assert.Equal(t, given.Custom(of).Removed, again.Custom(of).Removed, text)
		}
	}
	require.Greater(t, compared, 100)
}

// classesIn returns the classes of the fields of a type, by path. A field without a class is indeterminate in a file.
func classesIn(t *testing.T, set *crds.Set, of facts.TypeMeta) map[string]string {
	t.Helper()
	fields, err := set.List(of)
	require.NoError(t, err)
	classes := map[string]string{}
	for _, f := range fields {
		if !f.IsLeaf && f.Class == "" {
			continue // a member of which only the Schema is named
		}
		classes[f.Path] = strings.TrimSuffix(string(cmp.Or(f.Class, fieldclasses.Undecided))+","+f.Options, ",")
	}
	return classes
}
