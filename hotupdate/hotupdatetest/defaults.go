package hotupdatetest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// defaultsKeepHash: a defaulting function changes no hash.
func (s *subject) defaultsKeepHash(t trial) *breach {
	c := t.configs[0]
	if c.root == nil {
		return nil
	}
	for _, d := range s.defaulters {
		config := c.value()
		if survives(func() error { d(config.Interface()); return nil }) != nil {
			return &breach{what: "the defaulting function panics", hint: "mend it"}
		}
		changes, err := s.schema.Diff(c.value().Interface(), config.Interface())
		if err != nil {
			return failed("cannot be compared after defaulting", err)
		}
		if i := slices.IndexFunc(changes, isHashed); i >= 0 {
			what, hint := s.undeclared(changes[i])
			return &breach{what: what, hint: hint, path: changes[i].Path}
		}
	}
	return nil
}

// withoutDeclaring is what is left to do where no struct tag can help.
const withoutDeclaring = "let the code that reads the field apply the default instead, or hash what was there before defaulting and leave WithDefaulter out"

// undeclared explains a change that a defaulting function made. One change does not tell whether the default is always the same.
func (s *subject) undeclared(c hotupdate.Change) (what, hint string) {
	what = "the defaulting function changes the hash"
	f := s.fieldAt(c.Pointer)
	switch {
	case c.Op != hotupdate.Add:
		return what + ", because it changes what was set", "let it fill in only what is not set"
	case f == nil || !f.TakesDefault():
		return what, "no struct tag can declare the default of " + shapeOf(f) + ": " + withoutDeclaring
	case f.Default != nil:
		return what + ", because it fills in something else than the struct tag declares",
			"let the struct tag of " + f.GoField + " and the function agree; if what it fills in depends on other fields, remove the option default, and " + withoutDeclaring
	default:
		return what, "if it fills in the same wherever the field is not set, declare that in the struct tag of " + f.GoField + ": `hotupdatable:\"" +
			f.Node.Class.Word() + ",default=" + declarable(c) + "\"`; if not, " + withoutDeclaring
	}
}

// fieldAt follows a JSON pointer through the plan. It is nil if the pointer ends elsewhere than at a field.
func (s *subject) fieldAt(pointer string) (f *fieldplan.Field) {
	n := s.plan.Root
	for _, name := range fieldpath.Names(pointer) {
		f = nil
		if n != nil && n.Kind == fieldplan.Object {
			f = n.Lookup(name)
		}
		switch {
		case f != nil:
			n = f.Node
		case n != nil:
			n = n.Elem
		}
	}
	return f
}

// shapeOf says what takes no default: a field, or an element if there is none.
func shapeOf(f *fieldplan.Field) string {
	switch {
	case f == nil || f.Node.Kind != fieldplan.Leaf && f.Node.Kind != fieldplan.Object:
		return "a list or map"
	case f.Node.Kind == fieldplan.Object:
		return "an object, only of the fields in it"
	case f.Node.Leaf == leaf.Bool:
		return "a bool that is no pointer"
	default:
		return "a field of type " + f.Node.TypeName()
	}
}

// declarable is what a default is in a struct tag, where it can stand there as it is.
func declarable(c hotupdate.Change) string {
	text := c.New
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &text) != nil {
		return "…"
	}
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && !strings.ContainsRune("\"'`\\,", r) }
	if c.Sensitive || text == "" || len(text) > 40 || strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return "…"
	}
	return text
}
