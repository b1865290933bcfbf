package crd

import (
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/schemajson"
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

// readMeanings reads the option as of overrides. The compiler reports problems of the overrides.
func (r *reader) readMeanings(overrides []fieldplan.Override) {
	for _, o := range overrides {
		if tag, problems := structtag.ParseValue(o.Tag); len(problems) == 0 && tag.As != structtag.Undeclared {
			r.meanings[pathOf(o)] = tag.As
		}
	}
}

// withoutMeanings removes the option as from overrides of fields whose type says the same.
func (r *reader) withoutMeanings(overrides []fieldplan.Override) []fieldplan.Override {
	overrides = slices.Clone(overrides)
	for i, o := range overrides {
		if slices.Contains(r.applied, pathOf(o)) {
			overrides[i].Tag = structtag.WithoutAs(o.Tag)
		}
	}
	return overrides
}

// text describes strings, and values that are integers or strings. It is nil for other values. The
// option as of the field wins over a format and a pattern, and is given to all elements of its
// lists and maps.
func (r *reader) text(p *property, path string) *schemajson.Node {
	field := fieldOf(path)
	switch declared := r.meanings[field]; {
	case p.IntOrString:
		return r.intOrString(p, field, declared)
	case p.Type == "string" && declared != structtag.Undeclared:
		r.recognized[field] = byOption
		return &schemajson.Node{Kind: "string"} // the compiler applies the option
	case p.Format == "quantity":
		r.recognized[field] = byFormat
		return &schemajson.Node{Kind: schemajson.KindHintedQuantity}
	case p.isQuantity():
		r.recognized[field] = byPattern
		return &schemajson.Node{Kind: "quantity"}
	case p.Type != "string":
		return nil
	case p.Format != "" && leaves[p.Type][p.Format] != nil:
		r.recognized[field] = byFormat
		return leaves[p.Type][p.Format]
	}
	if meaning := r.meaning(p, path); meaning != structtag.Undeclared {
		r.recognized[field] = byPattern
		return &schemajson.Node{Kind: meaning.String() + "Text"}
	}
	return leaves[p.Type][""]
}

// fieldOf returns the path of the field whose elements, or elements of elements, have a path.
func fieldOf(path string) string {
	for strings.HasSuffix(path, "[]") {
		path = strings.TrimSuffix(path, "[]")
	}
	return path
}

// intOrString describes values that are integers or strings.
func (r *reader) intOrString(p *property, field string, declared structtag.Meaning) *schemajson.Node {
	isDeclared := declared == structtag.AsText || declared == structtag.AsQuantity
	if isDeclared {
		r.applied = append(r.applied, field)
	}
	switch {
	case declared == structtag.AsQuantity:
		r.recognized[field] = byOption
		return &schemajson.Node{Kind: schemajson.KindHintedQuantity}
	case isDeclared:
	case p.Format == "quantity":
		r.recognized[field] = byFormat
		return &schemajson.Node{Kind: schemajson.KindHintedQuantity}
	case p.isQuantity():
		r.recognized[field] = byPattern
		return &schemajson.Node{Kind: "quantity"}
	}
	return &schemajson.Node{Kind: "intOrString"}
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
func (r *reader) meaning(p *property, path string) structtag.Meaning {
	for _, pattern := range p.patterns() {
		meaning, ok := r.patterns.meaningOf(pattern)
		if !ok {
			r.reject(path, "has a pattern that is too much work to read, beside the other patterns of the CRD",
				"give the field the option as, such as as=text, which wins over the pattern")
		}
		if meaning != structtag.Undeclared {
			return meaning
		}
	}
	return structtag.Undeclared
}
