package crd

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// equality matches self.a == oldSelf.a without its spaces.
var equality = lazyregexp.New(`^(self|oldSelf)((?:\.\w+)*)==(self|oldSelf)((?:\.\w+)*)$`)

// readRules collects the fields that the CEL rules of a property make immutable. It reads rules
// that consist of such equalities, joined by &&. An equality of a whole element, or of the spec,
// applies to each field in it.
func (r *reader) readRules(p *property, path string) {
	for _, v := range p.Rules {
		rule := strings.Join(strings.Fields(v.Rule), "")
		if strings.ContainsAny(rule, `|?("'`) {
			continue
		}
		for part := range strings.SplitSeq(rule, "&&") {
			m := equality().FindStringSubmatch(part)
			switch {
			case m == nil || m[1] == m[3] || m[2] != m[4]:
			case m[2] == "" && (path == "" || strings.HasSuffix(path, "[]")):
				for name := range p.Properties {
					r.rules[fieldpath.Join(path, name)] = v.Rule
				}
			default:
				r.rules[strings.TrimPrefix(path+m[2], ".")] = v.Rule
			}
		}
	}
}

// pathOf is the path of a field in the spelling of the reader; empty if o has no valid path.
func pathOf(o fieldplan.Override) (path string) {
	steps, _ := fieldpath.ParsePattern(o.Path)
	for _, step := range steps {
		path = step.After(path)
	}
	return path
}

// checkRules refuses overrides for changes that the API server refuses anyway.
func (r *reader) checkRules(overrides []fieldplan.Override) (problems fault.List) {
	for _, o := range overrides {
		tag, _ := structtag.ParseValue(o.Tag) // the compiler reports its problems
		steps, _ := fieldpath.ParsePattern(o.Path)
		if rule := r.ruleAbove(steps); rule != "" && (tag.Class == structtag.Hot || tag.Class == structtag.InPlace) {
			problems.Add(&fault.Error{
				Kind: fault.Declaration, Code: "immutable-by-rule", Path: o.Path, Hint: "give it the class false",
				What: "is " + tag.Class.String() + ", and the CRD's rule " + rule + " refuses every change of it",
			})
		}
	}
	return problems
}

// ruleAbove returns the rule that makes a field, or a field around it, immutable.
func (r *reader) ruleAbove(steps []fieldpath.PatternStep) string {
	path := ""
	for _, step := range steps {
		path = step.After(path)
		if rule := r.rules[path]; rule != "" {
			return rule
		}
	}
	return ""
}
