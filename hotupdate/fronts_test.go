package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/schemajson"
)

// planText says everything that a field plan says, one node or field a line, but for Go types and what only they have.
func planText(s *hotupdate.Schema) string {
	plan := (*schemabridge.Schema)(s).Plan()
	w := &planWriter{}
	for _, f := range plan.Meta {
		w.line("meta", f.Name)
	}
	w.node(plan.Root)
	return w.text.String()
}

type planWriter struct {
	text  strings.Builder
	depth int
}

func (w *planWriter) line(all ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth) + fmt.Sprintln(all...))
}

func (w *planWriter) node(n *fieldplan.Node) {
	w.depth++
	defer func() { w.depth-- }()
	leaf := ""
	if n.Kind == fieldplan.Leaf {
		leaf = fmt.Sprint(schemajson.LeafName(n.Leaf, n.Type))
	}
	w.line("node", n.Kind, leaf, n.Class, n.Sensitive, n.Classes, n.HidesBelow, n.ElemPointer, n.Pairing)
	if n.Key != nil {
		w.line("key", n.Key.Name)
	}
	for _, f := range n.Parts() {
		w.field(f)
	}
	if n.Elem != nil {
		w.node(n.Elem)
	}
	if n.When != nil {
		w.line("when", n.When.Field.Name, n.When.Value, n.When.Source)
		w.node(n.When.Hot)
	}
	if n.Keys == nil {
		return
	}
	for _, rule := range n.Keys.All {
		w.line("rule", rule.Pattern, rule.Declared, rule.Source)
		w.node(rule.Node)
	}
}

func (w *planWriter) field(f *fieldplan.Field) {
	w.line("field", f.Name, f.GoField, f.Declared, f.Source, f.Pointer, f.Optional, f.Quoted, f.Presence, f.HasPresence(),
		f.Zero == nil, string(f.Zero), f.Default == nil, string(f.Default), f.Filled, f.Fills)
	w.node(f.Node)
}

// requireSamePlan checks that the Schema's JSON is compiled into the Schema's own plan.
func requireSamePlan(t rapid.TB, s *hotupdate.Schema, about any) {
	t.Helper()
	exported, err := s.MarshalJSON()
	require.NoError(t, err)
	if unloadable.Match(exported) {
		return
	}
	loaded, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err, "%v", about)
	require.Equal(t, planText(s), planText(loaded), "%v", about)
}

// TestPlanOfATypeIsThatOfItsSchema: a Go type and its exported Schema are two fronts of one compiler. They make one plan, down to the
// origin of each class.
func TestPlanOfATypeIsThatOfItsSchema(t *testing.T) {
	checkJSON(t, func(t *rapid.T, s subject) { requireSamePlan(t, s.schema, s.describe()) })
}

// TestPlanOfACRDIsThatOfItsSchema: likewise for a CRD.
func TestPlanOfACRDIsThatOfItsSchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &describer{T: t}
		spec := g.object(position{})
		byCRD, err := hotupdate.SchemaOfCRD(crdOf(t, spec.property), "v1", g.options(samePath)...)
		require.NoError(t, err)
		requireSamePlan(t, byCRD, spec.property)
	})
}

// TestPlanWithTypeMeta: TypeMeta is neither hashed nor compared, so it gives the root no class, also without the Go type.
func TestPlanWithTypeMeta(t *testing.T) {
	type config struct {
		metav1.TypeMeta `json:",inline"`

		Tags map[string]string `json:"tags" hotupdatable:"true"`
	}
	s, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	requireSamePlan(t, s, "TypeMeta")
}

// TestPlanWithKeysOfACRD: the fields below a key with a class of its own have the paths of all others.
func TestPlanWithKeysOfACRD(t *testing.T) {
	var spec openAPI
	require.NoError(t, json.Unmarshal([]byte(`{"type":"object","properties":{"m":{"type":"object","additionalProperties":
		{"type":"object","properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"default":1}}}}}}}}`), &spec))
	s, err := hotupdate.SchemaOfCRD(crdOf(t, spec), "v1", hotupdate.WithTag(`m["k"]`, "true"))
	require.NoError(t, err)
	requireSamePlan(t, s, "keys")
}
