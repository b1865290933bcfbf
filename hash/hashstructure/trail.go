package hashstructure

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// trail is where a walk over a Go value stands, in JSON names, and what it has found wrong.
type trail struct {
	engine.Trail

	hidden structtag.Sensitivity
}

// inField runs visit below a field. The fields of an embedded struct are fields of the struct that embeds it.
func (t *trail) inField(sf reflect.StructField, visit func()) {
	defer func(hidden structtag.Sensitivity) { t.hidden = hidden }(t.hidden)
	t.hidden = max(t.hidden, sensitivity(sf.Tag))
	if name, ok := jsonName(sf); ok {
		t.in(fieldpath.Step{Kind: fieldpath.Member, Name: name}, visit)
		return
	}
	visit()
}

// in runs visit below a step.
func (t *trail) in(step fieldpath.Step, visit func()) {
	t.Enter(step)
	visit()
	t.Leave()
}

// index returns the step to a list's element.
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

// sensitivity is what a field's struct tag hides. Struct tags were found correct when the Schema was compiled.
func sensitivity(tag reflect.StructTag) structtag.Sensitivity {
	if !strings.Contains(string(tag), "sensitive") {
		return structtag.Shown
	}
	parsed, _, _ := structtag.Parse(tag)
	return parsed.Sensitive
}

// jsonName returns the name of a field in a path. It is false for embedded structs whose fields JSON promotes.
func jsonName(sf reflect.StructField) (string, bool) {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	typ := sf.Type
	if typ.Kind() == reflect.Pointer && typ.Name() == "" {
		typ = typ.Elem()
	}
	if name == "-" {
		name = ""
	} else if name == "" && sf.Anonymous && typ.Kind() == reflect.Struct {
		return "", false
	}
	return cmp.Or(name, sf.Name), true
}
