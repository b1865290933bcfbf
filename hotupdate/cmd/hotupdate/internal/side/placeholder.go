package side

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// examinePlaceholders reports whether an object that may be compared has texts that another program
// replaces, and says so: what is applied is then in no file. An object whose kind or name is replaced may be
// any object.
func (r *Reader) examinePlaceholders(one *object, o *manifests.Object) bool {
	text := one.document.Text()
	hasMarks := bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("${"))
	if !hasMarks || isStoredObject(o.Tree) {
		return false
	}
	substitution := o.Tree.At("metadata", "annotations", substitutionOfFlux)
	find := placeholders{withoutVariables: substitution.Text() == "disabled"}
	version := o.Tree.At("apiVersion")
	kind := o.Tree.At("kind")
	ofType := cmp.Or(find.in(version), find.in(kind))
	ofName := cmp.Or(find.in(o.Tree.At("metadata", "namespace")), find.in(o.Tree.At("metadata", "name")))
	found := cmp.Or(ofType, ofName, find.in(o.Tree))
	isOpenVersion := find.in(version) != nil || isGroupOfGardener(one.Type.APIVersion)
	isOpenKind := find.in(kind) != nil || r.mayBeCompared(one.Type.Kind)
	mayBecomeKnown := isOpenVersion && isOpenKind
	mayBeKnown := r.isKnown(one.Type) || ofType != nil && mayBecomeKnown
	if found == nil || !mayBeKnown {
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

// substitutionOfFlux is the annotation that exempts an object from the substitution of variables.
//
// Source: "Post build variable substitution" of Flux' Kustomization API.
const substitutionOfFlux = "kustomize.toolkit.fluxcd.io/substitute"

// isStoredObject reports whether an API server has stored an object, whose texts are then as they are.
func isStoredObject(object *tree.Node) bool {
	return object.At("metadata", "uid") != nil || object.At("metadata", "resourceVersion") != nil
}

// placeholder is a text that another program replaces.
type placeholder struct {
	line    int // in the object
	problem error
}

// placeholders finds placeholders: actions of templates, and variables.
type placeholders struct{ withoutVariables bool }

// in returns the first placeholder in a value; nil if there is none. Annotations are left out, since they may describe
// anything, but for those of Gardener, such as an operation.
func (p placeholders) in(n *tree.Node) *placeholder {
	if n.Kind() == tree.Text {
		return p.inText(n)
	}
	for name, member := range n.Members() {
		if name == "annotations" {
			member = ofGardener(member)
		}
		if found := p.in(member); found != nil {
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
	if tree.IsTemplate([]byte(n.Text())) {
		return &placeholder{n.Line(), tree.ErrTemplate}
	}
	if found := variable.FindStringSubmatch(n.Text()); found != nil && !p.withoutVariables {
		return &placeholder{n.Line(), fmt.Errorf("has ${%s}, a variable that Flux or envsubst replaces; render it "+
			"first, with flux build kustomization or envsubst", found[1])}
	}
	return nil
}

// variable matches a variable, whose default or another operation may follow the name. Flux takes $${name} for the
// text ${name}.
var variable = regexp.MustCompile(`(?:^|[^$])\$\{([A-Za-z_][A-Za-z0-9_]*)(?:[-:=?+#%/^,@][^}]*)?\}`)
