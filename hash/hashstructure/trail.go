package hashstructure

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// trail is where a walk over a Go value stands, in JSON names, and what it has found wrong.
type trail struct {
	engine.Trail

	schema *hotupdate.Schema
	typ    reflect.Type          // the configuration's
	plan   *fieldplan.Plan       // of schema; nil until needed
	hidden structtag.Sensitivity // by struct tags, also of types that the Schema does not describe
}

// Report records a problem at the current path, without keys that must not be shown.
func (t *trail) Report(problem *fault.Error) {
	t.hideKeys()
	t.Trail.Report(problem)
}

// hideKeys marks the steps of the path whose keys the Schema hides, by struct tag or override, and reports whether keys below are hidden.
func (t *trail) hideKeys() bool {
	if t.plan == nil {
		var err error
		if t.plan, err = schemajson.Recompile(t.schema, t.typ); err != nil {
			t.plan = &fieldplan.Plan{Root: &fieldplan.Node{Sensitive: structtag.HideKeys}}
		}
	}
	n := t.plan.Root
	for i, step := range t.Path {
		f := n.Lookup(step.Name)
		switch {
		case step.Kind != fieldpath.Member:
			t.Path[i].Hidden = step.Hidden || n.HidesKeys()
			n = cmp.Or(n.Elem, n) // a leaf hides what is below it as well
		case f != nil:
			n = f.Node
		}
	}
	return n.HidesKeys() || t.hidden == structtag.HideKeys
}

// inField runs visit below a field. The fields of an embedded struct are fields of the struct that embeds it.
func (t *trail) inField(sf reflect.StructField, visit func()) {
	defer func(hidden structtag.Sensitivity) { t.hidden = hidden }(t.hidden)
	if strings.Contains(string(sf.Tag), "sensitive") {
		parsed, _, _ := structtag.Parse(sf.Tag) // found correct when the Schema was compiled
		t.hidden = max(t.hidden, parsed.Sensitive)
	}
	if name, ok := fieldplan.PathName(sf); ok {
		t.in(fieldpath.Step{Kind: fieldpath.Member, Name: name}, visit)
		return
	}
	visit()
}

func (t *trail) in(step fieldpath.Step, visit func()) {
	t.Enter(step)
	visit()
	t.Leave()
}

func index(i int) fieldpath.Step { return fieldpath.Step{Kind: fieldpath.Index, At: i} }

// keyStep returns the step to a map's entry. A key that JSON cannot carry is called by its type.
func (t *trail) keyStep(key reflect.Value) fieldpath.Step {
	if key.Kind() == reflect.Interface && !key.IsNil() {
		key = key.Elem()
	}
	if key.Kind() == reflect.Interface || leaf.MapKeyKind(key.Type()) == leaf.NotALeaf {
		return fieldpath.Step{Kind: fieldpath.MapKey, Name: key.Type().String()}
	}
	return engine.KeyStep(&fieldplan.Node{Kind: fieldplan.Map, Sensitive: t.hidden}, key)
}
