package crd

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// quantityPattern is the pattern that controller-gen writes for a resource.Quantity. It writes none
// for a metav1.Duration.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))` +
	`(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// What gives values their meaning, for people.
const (
	byPattern = "its pattern"
	byFormat  = "its format"
	byOption  = fieldplan.ByOption
)

// leavesOf are leaves of a Go type, with what gave them their meaning.
func leavesOf[T any](kind leaf.Kind, recognized string) fieldplan.Leaves {
	return fieldplan.Leaves{Type: reflect.TypeFor[T](), Kind: kind, Recognized: recognized}
}

// The leaves whose type a CRD does not say.
type (
	freeJSON = json.RawMessage
	quantity = resource.Quantity
)

var text = leavesOf[string](leaf.String, "")

// leafTypes are the leaves by type and format, except quantities. Any other format only validates.
// The API server reads durations and times in more forms than Go, and checks no format that it does
// not know, such as quantity.
var leafTypes = map[string]map[string]fieldplan.Leaves{
	"boolean": {"": leavesOf[bool](leaf.Bool, "")},
	"integer": {"": leavesOf[int64](leaf.Int, ""), "int32": leavesOf[int32](leaf.Int, "")},
	"number":  {"": leavesOf[float64](leaf.Float, "")},
	"string": {
		"": text, "byte": leavesOf[[]byte](leaf.Bytes, byFormat),
		"date-time": leavesOf[leaf.HintedTime](leaf.HintTime, byFormat),
		"duration":  leavesOf[leaf.HintedDuration](leaf.HintDuration, byFormat),
	},
}

// meaningsIn reads the option as of overrides, by the paths of fields. The compiler reports problems
// of the overrides.
func meaningsIn(overrides []fieldplan.Override) map[string]structtag.Meaning {
	meanings := map[string]structtag.Meaning{}
	for _, o := range overrides {
		if tag, problems := structtag.ParseValue(o.Tag); len(problems) == 0 && tag.As != structtag.Undeclared {
			meanings[pathOf(o)] = tag.As
		}
	}
	return meanings
}

// text describes strings, and values that are integers or strings. It is false for other values. The
// option as of the field wins over a format and a pattern, and is given to all elements of its
// lists and maps.
func (r *reader) text(p *property, path string, report func(*fault.Error)) (leaves fieldplan.Leaves, ok bool) {
	byFormatOf, hasFormat := leafTypes[p.Type][p.Format]
	switch declared := r.meanings[fieldOf(path)]; {
	case p.IntOrString:
		return p.intOrString(declared), true
	case p.Type == "string" && declared != structtag.Undeclared:
		return leavesOf[string](leaf.String, byOption), true // the compiler applies the option
	case p.Format == "quantity", p.isQuantity():
		return p.quantity(), true
	case p.Type != "string":
		return leaves, false
	case p.Format != "" && hasFormat:
		return byFormatOf, true
	}
	if meaning := r.meaning(p, path, report); meaning != structtag.Undeclared {
		return leavesOf[string](leaf.TextKind(meaning), byPattern), true
	}
	return text, true
}

// quantity describes quantities, by a format that admits other texts, or else by a pattern.
func (p *property) quantity() fieldplan.Leaves {
	if p.Format == "quantity" {
		return leavesOf[leaf.HintedQuantity](leaf.HintQuantity, byFormat)
	}
	return leavesOf[quantity](leaf.Quantity, byPattern)
}

// intOrString describes values that are integers or strings, with a declared meaning.
func (p *property) intOrString(declared structtag.Meaning) fieldplan.Leaves {
	leaves := leavesOf[intstr.IntOrString](leaf.IntOrString, "")
	switch {
	case declared == structtag.AsQuantity:
		leaves = leavesOf[leaf.HintedQuantity](leaf.HintQuantity, byOption)
		leaves.TakesAs = true
	case declared == structtag.AsText:
		leaves.TakesAs = true
	case p.Format == "quantity", p.isQuantity():
		leaves = p.quantity()
	}
	return leaves
}

// fieldOf returns the path of the field whose elements, or elements of elements, have a path.
func fieldOf(path string) string {
	for strings.HasSuffix(path, "[]") {
		path = strings.TrimSuffix(path, "[]")
	}
	return path
}

// isQuantity reports whether the property has the pattern that controller-gen writes. With a pattern
// of the field, it writes both as conditions.
func (p *property) isQuantity() bool { return slices.Contains(p.patterns(), quantityPattern) }

// patterns are the patterns that every value matches.
func (p *property) patterns() []string {
	patterns := []string{p.Pattern}
	for _, each := range p.AllOf {
		patterns = append(patterns, each.Pattern)
	}
	return patterns
}

// meaning recognizes the meaning of strings by their patterns.
func (r *reader) meaning(p *property, path string, report func(*fault.Error)) structtag.Meaning {
	for _, pattern := range p.patterns() {
		meaning, ok := r.patterns.meaningOf(pattern)
		if !ok {
			report(invalid(path, "has a pattern that is too much work to read, beside the other patterns of the CRD",
				"give the field the option as, such as as=text, which wins over the pattern"))
		}
		if meaning != structtag.Undeclared {
			return meaning
		}
	}
	return structtag.Undeclared
}
