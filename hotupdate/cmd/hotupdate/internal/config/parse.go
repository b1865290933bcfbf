package config

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/apply"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// Parse reads a config file. All problems are [fault.Error]s and joined. Where names the file and the line, Path
// the member.
func Parse(text []byte, name string) (*File, error) {
	root, err := tree.ParseYAML(text, 1)
	if err != nil {
		return nil, &fault.Error{
			Kind: fault.Invalid, Code: "malformed-config", Where: name, What: err.Error(),
		}
	}
	p := &parser{name: name, file: &File{Name: name}}
	p.members(root, "", map[string]member{
		"formatVersion": p.formatVersion, "landscape": p.landscape, "apply": p.apply,
		"accept":       p.text(&p.file.Accept, "the path of a file"),
		"cloudProfile": p.text(&p.file.CloudProfile, "the path of a file"),
		"failOn":       p.failOn, "undecided": p.undecided, "exclude": p.exclude,
	})
	p.requires(root, "", "formatVersion", "write formatVersion: 1")
	if err := p.problems.Err(); err != nil {
		return nil, err
	}
	return p.file, nil
}

// parser reads a file and collects its problems.
type parser struct {
	name     string
	file     *File
	problems fault.List
}

// member is a function that reads the value of a member at a path.
type member func(value *tree.Node, path string)

// add adds a problem of a member.
func (p *parser) add(at *tree.Node, path string, problem *fault.Error) {
	problem.Where = p.place(at)
	problem.Path = path
	p.problems.Add(problem)
}

// place names the line of a value.
func (p *parser) place(at *tree.Node) string { return p.name + ":" + strconv.Itoa(max(1, at.Line())) }

// hasType reports whether a value has a type, and adds a problem if not.
func (p *parser) hasType(value *tree.Node, path string, kind tree.Kind, must string) bool {
	if value.Kind() == kind {
		return true
	}
	what := "must be " + must
	if as := value.Reading(); as != "" {
		what += ", and is " + as
	}
	p.add(value, path, &fault.Error{Kind: fault.Invalid, Code: fault.WrongJSONType, What: what})
	return false
}

// members reads the members of an object, and refuses others.
func (p *parser) members(object *tree.Node, path string, known map[string]member) {
	names := slices.Sorted(maps.Keys(known))
	if !p.hasType(object, path, tree.Object, "an object with "+oneOf(names)) {
		return
	}
	p.checkDuplicates(object, path)
	for name, value := range object.Members() {
		at := fieldpath.Join(path, name)
		if read := known[name]; read != nil {
			read(value, at)
			continue
		}
		hint := "write " + oneOf(names)
		if meant := fieldpath.Nearest(name, names); meant != "" {
			hint = "did you mean " + meant + "?"
		}
		p.add(value, at, &fault.Error{Kind: fault.Invalid, Code: fault.UnknownMember, What: "is unknown", Hint: hint})
	}
}

// requires adds a problem if an object lacks a member.
func (p *parser) requires(object *tree.Node, path, name, hint string) {
	if _, found := object.Find([]string{name}); object.Kind() == tree.Object && found == 0 {
		p.add(object, fieldpath.Join(path, name), &fault.Error{
			Kind: fault.Invalid, Code: "missing-member", What: "is missing", Hint: hint,
		})
	}
}

// entries reads the members of an object whose names are not fixed.
func (p *parser) entries(object *tree.Node, path, must string, read func(name string, value *tree.Node, path string)) {
	if !p.hasType(object, path, tree.Object, must) {
		return
	}
	p.checkDuplicates(object, path)
	for name, value := range object.Members() {
		read(name, value, fieldpath.Join(path, name))
	}
}

func (p *parser) checkDuplicates(object *tree.Node, path string) {
	for _, name := range object.Duplicates() {
		p.add(object, fieldpath.Join(path, name), &fault.Error{
			Kind: fault.Invalid, Code: fault.DuplicateMember, What: "occurs twice", Hint: "leave out one of them",
		})
	}
}

// oneOf lists words: a, b or c.
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (p *parser) formatVersion(value *tree.Node, path string) {
	if version, _ := value.Number(); version != "1" {
		p.add(value, path, &fault.Error{
			Kind: fault.Invalid, Code: "unknown-version", Hint: "write 1",
			What: "is not a version that this command reads",
		})
	}
}

// text returns a reader of a text that is not empty.
func (p *parser) text(to *string, must string) member {
	return func(value *tree.Node, path string) {
		if !p.hasType(value, path, tree.Text, must) {
			return
		}
		if *to = value.Text(); *to == "" {
			p.add(value, path, &fault.Error{
				Kind: fault.Invalid, Code: "malformed-value", What: "is empty", Hint: "write " + must,
			})
		}
	}
}

// word reads a text that is one of some words.
func (p *parser) word(value *tree.Node, path string, words []string) string {
	if !p.hasType(value, path, tree.Text, oneOf(words)) {
		return ""
	}
	if slices.Contains(words, value.Text()) {
		return value.Text()
	}
	hint := "write " + oneOf(words)
	if meant := fieldpath.Nearest(verdict.Written(value.Text()), words); meant != "" {
		hint = "did you mean " + meant + "? The words are " + oneOf(words)
	}
	p.add(value, path, &fault.Error{Kind: fault.Invalid, Code: "unknown-word", What: "is unknown", Hint: hint})
	return ""
}

// list reads the elements of a list, which differ.
func (p *parser) list(value *tree.Node, path, must string, read func(element *tree.Node, path string) string) {
	if !p.hasType(value, path, tree.List, must) {
		return
	}
	seen := map[string]bool{}
	for i, element := range value.Elements() {
		at := fieldpath.At(path, i)
		text := read(element, at)
		if seen[text] {
			p.add(element, at, &fault.Error{
				Kind: fault.Invalid, Code: "duplicate-value", What: "occurs twice", Hint: "leave out one of them",
			})
		}
		seen[text] = text != ""
	}
}

// matches reads a text that matches an expression.
func (p *parser) matches(value *tree.Node, path string, form *regexp.Regexp, must string) (string, bool) {
	if !p.hasType(value, path, tree.Text, must) {
		return "", false
	}
	if form.MatchString(value.Text()) {
		return value.Text(), true
	}
	p.add(value, path, &fault.Error{Kind: fault.Invalid, Code: "malformed-value", What: "must be " + must})
	return "", false
}

// The forms of texts.
var (
	releaseForm = lazyregexp.New(`^v(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8}))?$`)
)

func (p *parser) apply(value *tree.Node, path string) {
	const must = "client, server, server=MANAGER or replace"
	if !p.hasType(value, path, tree.Text, must) {
		return
	}
	if _, err := apply.Parse(value.Text()); err != nil {
		p.add(value, path, &fault.Error{Kind: fault.Invalid, Code: "malformed-value", What: err.Error()})
	}
	p.file.Apply = value.Text()
}

// Verdicts are the verdicts that a gate can fail for, in the words of --fail-on, the gravest first.
func Verdicts() []string { return verdict.Words(verdict.Failing()) }

func (p *parser) failOn(value *tree.Node, path string) {
	p.list(value, path, "a list of verdicts", func(element *tree.Node, path string) string {
		word := p.word(element, path, Verdicts())
		p.file.FailOn = append(p.file.FailOn, word)
		return word
	})
}

func (p *parser) undecided(value *tree.Node, path string) {
	p.file.UndecidedPasses = p.word(value, path, []string{"fail", "pass"}) == "pass"
}

func (p *parser) exclude(value *tree.Node, at string) {
	p.list(value, at, "a list of globs", func(element *tree.Node, at string) string {
		if !p.hasType(element, at, tree.Text, "a glob") {
			return ""
		}
		glob := element.Text()
		if _, err := path.Match(glob, ""); err != nil || strings.Trim(glob, "/") == "" {
			p.add(element, at, &fault.Error{
				Kind: fault.Invalid, Code: "malformed-value", What: "is not a glob",
				Hint: "write the name of a file or folder, or its path, as in templates, *.tpl.yaml or apps/**/base",
			})
		}
		p.file.Exclude = append(p.file.Exclude, glob)
		return glob
	})
}

func (p *parser) landscape(value *tree.Node, path string) {
	p.members(value, path, map[string]member{
		"gardener": p.gardener, "featureGates": p.featureGates, "useGKEFormula": p.useGKEFormula,
		"extensions": p.extensions, "respectSyncPeriodOverwrite": p.respectSyncPeriodOverwrite,
	})
}

const aRelease = "a release, such as v1.150.0"

func (p *parser) gardener(value *tree.Node, path string) {
	if release, isRelease := p.matches(value, path, releaseForm(), aRelease); isRelease {
		p.file.Landscape.Gardener = verdict.Known(release, p.place(value))
	}
}

func (p *parser) respectSyncPeriodOverwrite(value *tree.Node, path string) {
	if p.hasType(value, path, tree.Bool, "true or false") {
		p.file.Landscape.RespectsSyncPeriod = verdict.Known(value.IsTrue(), p.place(value))
	}
}

func (p *parser) featureGates(value *tree.Node, path string) {
	gates := map[string]verdict.Fact[bool]{}
	p.entries(value, path, "an object with feature gates", func(name string, value *tree.Node, path string) {
		p.note(value, path, name, []string{"InPlaceNodeUpdates"})
		if p.hasType(value, path, tree.Bool, "true or false") {
			gates[name] = verdict.Known(value.IsTrue(), p.place(value))
		}
	})
	p.file.Landscape.FeatureGates = gates
}

// note says that a name is unknown and similar to a known one. A landscape may use its own names,
// so that is not an error.
func (p *parser) note(at *tree.Node, path, name string, known []string) {
	if meant := fieldpath.Nearest(name, known); meant != "" && meant != name {
		const text = "%s: %s is not known, and decides nothing for %s; did you mean %s?"
		p.file.Notes = append(p.file.Notes, fmt.Sprintf(text, p.place(at), path, meant, meant))
	}
}

func (p *parser) extensions(value *tree.Node, path string) {
	all := map[string]facts.Extension{}
	const must = "an object with the types of providers, such as aws"
	p.entries(value, path, must, func(name string, value *tree.Node, path string) {
		p.note(value, path, name, []string{"alicloud", "aws", "azure", "gcp", "openstack"})
		all[name] = p.extension(value, path)
	})
	p.file.Landscape.Extensions = all
}

func (p *parser) extension(value *tree.Node, path string) (e facts.Extension) {
	p.members(value, path, map[string]member{
		"release": func(value *tree.Node, path string) {
			if release, isRelease := p.matches(value, path, releaseForm(), aRelease); isRelease {
				e.Release = verdict.Known(release, p.place(value))
			}
		},
		"adopted": func(value *tree.Node, path string) {
			if p.hasType(value, path, tree.Bool, "true or false") {
				e.Adopted = verdict.Known(value.IsTrue(), p.place(value))
			}
		},
	})
	return e
}

// useGKEFormula reads the two members of the plugin's configuration: a boolean, or an object with the selector
// of the Shoots for which the formula is used.
func (p *parser) useGKEFormula(value *tree.Node, path string) {
	var formula facts.GKEFormula
	switch value.Kind() {
	case tree.Bool:
		if value.IsTrue() {
			formula.Selector = labels.Everything()
		}
	case tree.Object:
		p.members(value, path, map[string]member{
			"selector": func(value *tree.Node, path string) { formula.Selector = p.selector(value, path) },
		})
		p.requires(value, path, "selector", "write useGKEFormula: true if the plugin has no selector")
	case tree.Null, tree.Number, tree.Text, tree.List:
		p.hasType(value, path, tree.Bool, "true, false or an object with the selector of the plugin")
	}
	p.file.Landscape.GKEFormula = verdict.Known(formula, p.place(value))
}

// selector reads a label selector of Kubernetes.
func (p *parser) selector(value *tree.Node, path string) labels.Selector {
	s := &metav1.LabelSelector{}
	count := len(p.problems)
	p.members(value, path, map[string]member{
		"matchLabels": func(value *tree.Node, path string) {
			s.MatchLabels = map[string]string{}
			p.entries(value, path, "an object with labels", func(name string, value *tree.Node, path string) {
				if p.hasType(value, path, tree.Text, "text") {
					s.MatchLabels[name] = value.Text()
				}
			})
		},
		"matchExpressions": func(value *tree.Node, path string) {
			if !p.hasType(value, path, tree.List, "a list") {
				return
			}
			for i, element := range value.Elements() {
				s.MatchExpressions = append(s.MatchExpressions, p.requirement(element, fieldpath.At(path, i)))
			}
		},
	})
	if len(p.problems) > count {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		p.add(value, path, &fault.Error{
			Kind: fault.Invalid, Code: "malformed-value", What: fmt.Sprintf("is not a label selector: %v", err),
		})
	}
	return selector
}

func (p *parser) requirement(value *tree.Node, path string) (r metav1.LabelSelectorRequirement) {
	p.members(value, path, map[string]member{
		"key": p.text(&r.Key, "the key of a label"),
		"operator": func(value *tree.Node, path string) {
			word := p.word(value, path, []string{"In", "NotIn", "Exists", "DoesNotExist"})
			r.Operator = metav1.LabelSelectorOperator(word)
		},
		"values": func(value *tree.Node, path string) {
			p.list(value, path, "a list of texts", func(element *tree.Node, path string) string {
				if p.hasType(element, path, tree.Text, "text") {
					r.Values = append(r.Values, element.Text())
				}
				return element.Text()
			})
		},
	})
	p.requires(value, path, "key", "write the key of a label")
	p.requires(value, path, "operator", "write In, NotIn, Exists or DoesNotExist")
	return r
}
