package hashstructure

import (
	"reflect"
	"strings"

	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// trail is where a walk over a Go value stands, in JSON names.
type trail struct {
	path   fieldpath.Path
	hidden structtag.Sensitivity
}

// inField runs visit below a field. The fields of an embedded struct are fields of the struct that embeds it.
func (t *trail) inField(sf reflect.StructField, visit func()) {
	outside := *t
	t.hidden = max(t.hidden, sensitivity(sf.Tag))
	if name, ok := jsonName(sf); ok {
		t.path = append(t.path, fieldpath.Step{Kind: fieldpath.Member, Name: name})
	}
	visit()
	*t = outside
}

// in runs visit below an element.
func (t *trail) in(step fieldpath.Step, visit func()) {
	t.path = append(t.path, step)
	visit()
	t.path = t.path[:len(t.path)-1]
}

// index returns the step to a list's element.
func index(i int) fieldpath.Step { return fieldpath.Step{Kind: fieldpath.Index, At: i} }

// hidesKeys reports whether map keys must not be shown.
func (t *trail) hidesKeys() bool { return t.hidden == structtag.HideKeys }

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
	for typ.Kind() == reflect.Pointer && typ.Name() == "" {
		typ = typ.Elem()
	}
	switch {
	case name == "" && sf.Anonymous && typ.Kind() == reflect.Struct:
		return "", false
	case name == "" || name == "-":
		return sf.Name, true
	default:
		return name, true
	}
}
