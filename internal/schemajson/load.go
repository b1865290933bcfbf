package schemajson

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"sync"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Load reads the JSON form of a plan and compiles it. Every problem has a JSON pointer into the
// document.
func Load(data []byte) (*fieldplan.Plan, error) {
	d, err := decode(data)
	if err != nil {
		return nil, err
	}
	plan, err := d.Compile()
	if err != nil {
		return nil, err
	}
	if again, err := Export(plan); err != nil || again.Fingerprint != d.Fingerprint {
		return nil, invalid("/root", "contradicts itself, as in a class that is inherited and another than that above",
			exportAgain)
	}
	return plan, nil
}

// AdmitUnknown returns a plan like p that admits unknown members, as Immutable fields. It is
// compiled once for p.
func AdmitUnknown(p *fieldplan.Plan) (*fieldplan.Plan, error) {
	if p.Open {
		return p, nil
	}
	open := func() any { return sync.OnceValues(func() (*fieldplan.Plan, error) { return opened(p) }) }
	return p.Derived(fieldplan.Opening, open).(func() (*fieldplan.Plan, error))()
}

func opened(p *fieldplan.Plan) (*fieldplan.Plan, error) {
	d, err := Export(p)
	if err != nil {
		return nil, err
	}
	d.Unknown = structtag.Immutable.String()
	d.Root.keepTypes(p.Root)
	open, err := d.Compile()
	if err != nil {
		return nil, err
	}
	open.OfResource = p.OfResource
	return open, nil
}

// keepTypes notes the Go types that only their own decoders can read.
func (n *Node) keepTypes(from *fieldplan.Node) {
	switch n.Kind {
	case kindRef:
		return // a type that contains itself has no plan anyway
	case kindOpaque:
		n.goType = from.Type
	case KindMap:
		n.goKeys = from.Type.Key()
	}
	for i, f := range n.Fields {
		f.Type.keepTypes(from.Fields[i].Node)
	}
	if n.Elem != nil {
		n.Elem.keepTypes(from.Elem)
	}
}

// rootPlace is the place of the root.
const rootPlace = "/root"

// Values describes the values of the root.
func (d *Document) Values() fieldplan.Values {
	return described{&source{root: d.Root, typeMeta: d.TypeMeta, isOpen: d.Unknown != ""}, d.Root, rootPlace}
}

// Compile returns the plan of the document.
func (d *Document) Compile() (*fieldplan.Plan, error) {
	plan, err := fieldplan.BuildFrom(d.Values(), rootPlace, nil, rawjson.ReadPart)
	if err != nil {
		return nil, located(err)
	}
	return plan, nil
}

// located gives problems of fields their pointers into the document, unless the document itself has
// problems.
func located(err error) error {
	var all, ofDocument fault.List
	for _, problem := range fault.All(err) {
		if problem.Kind == fault.InvalidSchema {
			ofDocument.Add(problem)
			continue
		}
		located := invalid(problem.Field, problem.What, problem.Hint)
		located.Cause = problem
		all.Add(located)
	}
	return cmp.Or(ofDocument.Err(), all.Err())
}

// typeMeta are the members of metav1.TypeMeta.
var typeMeta = []string{"apiVersion", "kind"}

const exportAgain = "export the Schema again"

// versionOf returns the format version of an exported Schema, and 0 if it cannot be read.
func versionOf(data []byte) int {
	var header struct {
		FormatVersion int `json:"formatVersion"`
	}
	if sigsjson.UnmarshalCaseSensitivePreserveInts(data, &header) != nil {
		return 0
	}
	return header.FormatVersion
}

func unknownVersion(version int) error {
	return invalid("/formatVersion", "is "+strconv.Itoa(version),
		"use a release of this library that knows the format; this one knows up to "+strconv.Itoa(lastVersion))
}

// decode reads the document strictly and checks its fingerprint.
func decode(data []byte) (*Document, error) {
	if _, problem := canonjson.AppendValue(nil, data); problem != nil {
		return nil, problem
	}
	if version := versionOf(data); version > lastVersion {
		return nil, unknownVersion(version) // whatever else is unknown in it
	}
	d := &Document{}
	if strict, err := sigsjson.UnmarshalStrict(data, d); err != nil || len(strict) > 0 {
		return nil, invalid("", "is not a Schema in JSON: "+errors.Join(append(strict, err)...).Error(), exportAgain)
	}
	switch {
	case d.FormatVersion < FormatVersion:
		return nil, unknownVersion(d.FormatVersion)
	case d.Root == nil || d.Root.Kind != KindObject:
		return nil, invalid("/root", "must be an object", exportAgain)
	case !slices.Equal(d.TypeMeta, typeMeta) && len(d.TypeMeta) > 0:
		return nil, invalid("/typeMeta", "is neither empty nor apiVersion and kind", exportAgain)
	case d.Unknown != "" && d.Unknown != structtag.Immutable.String():
		return nil, invalid("/unknownMembers", "is neither missing nor immutable", exportAgain)
	}
	fingerprint, err := d.fingerprint()
	if err != nil {
		return nil, err
	}
	if d.Fingerprint != fingerprint {
		return nil, invalid("/fingerprint",
			"is not the fingerprint of this Schema, which was edited after it was exported", exportAgain)
	}
	return d, nil
}
