package side

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// examinePlaceholders reports whether an object that may be compared has texts that another program
// replaces, and records the problem: the applied object is then in no file. An object with a
// replaced kind or name, or with a name that no API server accepts, may be any object.
func (r *Reader) examinePlaceholders(one *object, o *manifests.Object) bool {
	if isStoredObject(o.Tree) {
		return false
	}
	find := placeholdersOf(o.Tree)
	find.withWords = !r.Schemas.custom.Has(one.Type)
	version := o.Tree.At("apiVersion")
	kind := o.Tree.At("kind")
	ofType := cmp.Or(find.in(version), find.in(kind))
	ofName := cmp.Or(find.inMetadata(o.Tree, "namespace"), find.inMetadata(o.Tree, "name"), markedOf(one.document))
	isOpenVersion := find.in(version) != nil || isGroupOfGardener(one.Type.APIVersion)
	isOpenKind := find.in(kind) != nil || r.mayBeCompared(one.Type.Kind)
	mayBecomeKnown := isOpenVersion && isOpenKind
	if mayBeKnown := r.isKnown(one.Type) || ofType != nil && mayBecomeKnown; !mayBeKnown {
		return false
	}
	if r.hasMetadata(one.Type) {
		ofName = cmp.Or(ofName, invalidName(o.Tree, "namespace"), invalidName(o.Tree, "name"))
	}
	found := cmp.Or(ofType, ofName, find.in(o.Tree))
	if found == nil {
		return false
	}
	one.problem = manifests.InFile(o.At(o.Line-1+found.line), found.problem)
	one.role = isManifest
	if ofType != nil || ofName != nil {
		one.role = isUnread
		one.isNameless = true
	}
	return true
}

// Replaced returns the reason why the text of an object of a judged kind is not applied unchanged, and
// its line: the text is encrypted, or another program replaces parts of it. The problem is nil for
// every other text.
func Replaced(
	d *manifests.Document, o *manifests.Object, isJudged func(facts.TypeMeta) bool,
) (line int, problem error) {
	problem = concealed(d.Text(), o)
	if problem != nil || o.Err != nil {
		return o.Line, problem
	}
	kind := facts.TypeMetaOf(o.Tree)
	switch {
	case !isJudged(kind), isStoredObject(o.Tree):
		return o.Line, nil
	case isEncrypted(o.Tree):
		return o.Line, errSOPS
	}
	find := placeholdersOf(o.Tree)
	find.withWords = facts.KindOf(kind) != facts.NoKind
	if found := cmp.Or(markedOf(d), find.in(o.Tree)); found != nil {
		return o.Line - 1 + found.line, found.problem
	}
	return o.Line, nil
}

// placeholdersOf returns the rules for finding placeholders in an object.
func placeholdersOf(object *tree.Node) placeholders {
	substitution := object.At("metadata", "annotations", substitutionOfFlux)
	return placeholders{withoutVariables: substitution.Text() == "disabled"}
}

// hasMetadata reports whether objects of a kind have names. Provider configs have none.
func (r *Reader) hasMetadata(kind facts.TypeMeta) bool {
	return facts.KindOf(kind) != facts.NoKind || r.Schemas.custom.Has(kind)
}

// substitutionOfFlux is the annotation that exempts an object from the substitution of variables.
//
// Source: "Post build variable substitution" of Flux' Kustomization API.
const substitutionOfFlux = "kustomize.toolkit.fluxcd.io/substitute"

// isStoredObject reports whether an API server has stored an object, so that its texts are no
// placeholders.
func isStoredObject(object *tree.Node) bool {
	return object.At("metadata", "uid") != nil || object.At("metadata", "resourceVersion") != nil
}

// placeholder is a text that another program replaces.
type placeholder struct {
	line    int // in the object
	problem error
}

// invalidName returns the name or namespace of an object, if no API server accepts it; nil if one does.
//
// Source: apimachinery's IsDNS1123Subdomain.
func invalidName(object *tree.Node, member string) *placeholder {
	n := object.At("metadata", member)
	name := n.Text()
	isValid := len(name) <= maxName && subdomain().MatchString(name)
	if name == "" || isValid {
		return nil
	}
	return &placeholder{n.Line(), fmt.Errorf("metadata.%s is not a name, which has lower-case letters, digits, - "+
		"and . only; render the file first, if another program replaces it", member)}
}

// maxName bounds the names of objects.
const maxName = 253

var subdomain = lazyregexp.New(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// markedOf returns the first mark by which another program finds the values that it replaces; nil if a document
// has none.
func markedOf(d *manifests.Document) *placeholder {
	switch kind, line := tree.MarkOf(d.Text()); kind {
	case tree.YTT:
		return &placeholder{line, errors.New("has #@, a template of ytt; render it first, with ytt")}
	case tree.LocalTag:
		return &placeholder{line, errors.New("has a tag that another program reads, such as !vault; let it write the " +
			"value first")}
	case tree.NoMark:
	}
	return nil
}

// placeholders finds placeholders: actions of templates, and variables.
type placeholders struct {
	withoutVariables bool
	withWords        bool // that look like placeholders
}

// inMetadata returns the placeholder in a member of the metadata; nil if there is none.
func (p placeholders) inMetadata(object *tree.Node, member string) *placeholder {
	return p.in(object.At("metadata", member))
}

// in returns the first placeholder in a value; nil if there is none. Of annotations, which may
// contain any text, it searches only Gardener's, such as operations.
func (p placeholders) in(n *tree.Node) *placeholder {
	if n.Kind() == tree.Text {
		return p.inText(n)
	}
	for name, member := range n.Members() {
		below := p
		if name == "annotations" {
			member = ofGardener(member)
		}
		below.withWords = p.withWords && !isFree[name]
		if found := below.in(member); found != nil {
			return found
		}
	}
	for _, element := range n.Elements() {
		if found := p.in(element); found != nil {
			return found
		}
	}
	return nil
}

// isFree are the members with arbitrary texts: scripts, credentials, and configurations of other
// extensions. In them, a word that looks like a placeholder may be intended.
var isFree = map[string]bool{
	"userData": true, "extensions": true, "kubeAPIServer": true, "dns": true, "managedFields": true,
}

// ofGardener returns the annotations that Gardener reads.
func ofGardener(annotations *tree.Node) *tree.Node {
	for key := range annotations.Members() {
		domain, _, _ := strings.Cut(key, "/")
		if domain != "gardener.cloud" && !strings.HasSuffix(domain, ".gardener.cloud") {
			annotations = annotations.With([]string{key}, nil)
		}
	}
	return annotations
}

func (p placeholders) inText(n *tree.Node) *placeholder {
	text := n.Text()
	if strings.Contains(text, "{{") && tree.IsTemplate([]byte(text)) {
		return &placeholder{n.Line(), tree.ErrTemplate}
	}
	if strings.Contains(text, "${") && !p.withoutVariables {
		if found := variable().FindStringSubmatch(text); found != nil {
			return &placeholder{n.Line(), fmt.Errorf("has ${%s}, a variable that Flux or envsubst replaces; render it "+
				"first, with flux build kustomization or envsubst", found[1])}
		}
	}
	switch {
	case !p.withWords:
	case isHidden(n):
		return &placeholder{n.Line(), errSOPS}
	case strings.ContainsAny(text, marksOfWords) && word().MatchString(text):
		return &placeholder{n.Line(), errWord}
	}
	return nil
}

// variable matches a variable, whose default or another operation may follow the name. Flux takes $${name} for the
// text ${name}.
var variable = lazyregexp.New(`(?:^|[^$])\$\{([A-Za-z_][A-Za-z0-9_]*)(?:[-:=?+#%/^,@][^}]*)?\}`)

var errWord = errors.New("has a value that looks like a placeholder, such as $NAME, $(NAME), (( name )), <NAME> or " +
	"__NAME__; render the file first")

// marksOfWords has a character of every word that looks like a placeholder.
const marksOfWords = "$(<_%@"

// word matches a text that is one word with placeholders in it. Real values of deciding fields,
// such as the name of a machine type, never match.
var word = lazyregexp.New(`^(?:[\w.:/+-]*(?:` + strings.Join([]string{
	`\$[A-Za-z_]\w*`, `\$\([^()]+\)`, `\$\[[^\[\]]+\]`, `\(\(.+\)\)`, `<[A-Za-z][\w. -]*>`, `\b__[A-Z0-9_]+__\b`,
	`%[A-Z0-9_]+%`, `@[A-Z0-9_]+@`,
}, "|") + `))+[\w.:/+-]*$`)
