// Package crd compiles the OpenAPI schema of a custom resource's spec into a field plan.
//
// It owns the meaning of the keywords of a CustomResourceDefinition for the comparison of two
// specs. It is a front of the compiler in package fieldplan, which owns all other rules.
package crd

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
	"github.com/hotupdate/providerconfig/internal/schemajson"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// definition is the part of a CustomResourceDefinition that is read.
type definition struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Spec       struct {
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPI property `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// Compile returns the field plan of the spec in a version of a CustomResourceDefinition in JSON.
// All problems are returned joined, each with the path of a field or of an override.
//
// Each graft describes a member that holds free JSON. One that leads to no such member is a problem.
func Compile(
	raw []byte, version string, overrides []fieldplan.Override, grafts ...Graft,
) (*fieldplan.Plan, error) {
	spec, err := specIn(raw, version)
	if err != nil {
		return nil, err
	}
	r := &reader{
		isOpen: spec.Preserve, rules: map[string]string{}, meanings: meaningsIn(overrides), patterns: newRecognizer(),
		grafts: map[string]*graft{},
	}
	r.readGrafts(grafts)
	if spec.Preserve {
		spec.Type = "object"
		spec.Preserve = false
	}
	if !spec.isObject() {
		return nil, invalid("", "has a spec that is not an object with properties", "write type: object and properties")
	}
	r.readRules(spec, "")
	plan, err := fieldplan.BuildFrom(described{reader: r, p: spec}, "", overrides, rawjson.ReadPart)
	if err = r.located(err, overrides); err != nil {
		return nil, err
	}
	if _, err = schemajson.Export(plan); err != nil {
		return nil, err // it has too many levels
	}
	plan.OfResource = true
	return plan, nil
}

// located returns the problems of the CRD and of grafts, or else those of overrides and fields, with
// paths.
func (r *reader) located(err error, overrides []fieldplan.Override) error {
	ofCRD := r.faults
	others := r.checkRules(overrides)
	for _, problem := range fault.All(err) {
		if problem.Kind == fault.InvalidSchema {
			ofCRD.Add(problem)
			continue
		}
		problem.Path = cmp.Or(problem.Path, problem.Field)
		problem.Field = ""
		problem.Type = ""
		others.Add(problem)
	}
	ofCRD = append(ofCRD, r.unmatchedGrafts()...)
	return cmp.Or(ofCRD.Err(), others.Err())
}

// specIn returns the schema of the spec in a version.
func specIn(raw []byte, version string) (*property, error) {
	canonical, problem := canonjson.AppendValue(nil, raw)
	if problem != nil {
		return nil, problem
	}
	var d definition
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(canonical, &d); err != nil {
		return nil, invalid("", "is not a CustomResourceDefinition: "+reasonOf(err), writeCRD)
	}
	switch {
	case d.APIVersion != "apiextensions.k8s.io/v1":
		return nil, invalid("", "has another apiVersion than a CustomResourceDefinition", writeCRD)
	case d.Kind != "CustomResourceDefinition":
		return nil, invalid("", "has another kind than CustomResourceDefinition", writeCRD)
	}
	var names []string
	for _, v := range d.Spec.Versions {
		if spec := v.Schema.OpenAPI.Properties["spec"]; spec != nil {
			names = append(names, v.Name)
			if v.Name == version {
				return spec, nil
			}
		}
	}
	return nil, invalid("", "has no version "+version+" with the schema of a spec",
		"it has "+cmp.Or(strings.Join(names, ", "), "none at all"))
}

// reasonOf says which member of a CustomResourceDefinition has a value of another type.
func reasonOf(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "the " + e.Value + " in " + cmp.Or(e.Field, "place of it") + " has another type"
	}
	return err.Error()
}

const writeCRD = "write a CustomResourceDefinition of apiextensions.k8s.io/v1"

func invalid(path, what, hint string) *fault.Error {
	return &fault.Error{Kind: fault.InvalidSchema, Code: "invalid-crd", Path: path, What: what, Hint: hint}
}

// reader is what the properties of one spec share.
type reader struct {
	isOpen   bool                         // objects may have unknown members
	rules    map[string]string            // by the path of the field that a rule makes immutable
	meanings map[string]structtag.Meaning // by the path of the field that an override gives the option as
	patterns *recognizer
	grafts   map[string]*graft // by the path of the member
	faults   fault.List        // of grafts
}
