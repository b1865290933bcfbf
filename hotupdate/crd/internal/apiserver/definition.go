package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
)

// strategy is what the API server validates objects by.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// version is a version of a kind of custom resources.
type version struct {
	strategy     strategy
	schema       *schema.Structural // nil if the version has none, as in old definitions
	isNamespaced bool
	keepsUnknown bool     // the members that the schema does not have
	messages     messages // of the rules
}

// definitions are the versions of all kinds.
type definitions map[runtimeschema.GroupVersionKind]*version

// add adds the served versions of a CustomResourceDefinition in JSON.
func (d definitions) add(raw json.RawMessage) error {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(raw, &crd); err != nil {
		return fmt.Errorf("a definition cannot be read: %w", err)
	}
	if crd.APIVersion != apiextensionsv1.SchemeGroupVersion.String() || crd.Kind != "CustomResourceDefinition" {
		return fmt.Errorf("%s %s: is not a CustomResourceDefinition of %s", crd.Kind, crd.Name,
			apiextensionsv1.SchemeGroupVersion)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
	var problems []error
	for i := range crd.Spec.Versions {
		of := &crd.Spec.Versions[i]
		if !of.Served {
			continue
		}
		kind := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: of.Name, Kind: crd.Spec.Names.Kind}
		v, err := newVersion(&crd, of, kind)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s, version %s: %w", crd.Name, of.Name, err))
			continue
		}
		d[kind] = v
	}
	return errors.Join(problems...)
}

// newVersion compiles the schema and the rules of a version, which an API server does once for all objects.
func newVersion(
	crd *apiextensionsv1.CustomResourceDefinition, of *apiextensionsv1.CustomResourceDefinitionVersion,
	kind runtimeschema.GroupVersionKind,
) (*version, error) {
	v := &version{
		isNamespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		keepsUnknown: crd.Spec.PreserveUnknownFields,
	}
	properties, err := propertiesOf(of)
	if err != nil {
		return nil, err
	}
	v.schema, err = structural(properties)
	if err != nil && !v.keepsUnknown {
		return nil, err
	}
	v.messages.add(v.schema)
	validator, _, err := validation.NewSchemaValidator(properties)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if of.Subresources != nil && of.Subresources.Status != nil {
		status = &apiextensions.CustomResourceSubresourceStatus{}
	}
	if of.Subresources != nil && of.Subresources.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{
			SpecReplicasPath:   of.Subresources.Scale.SpecReplicasPath,
			StatusReplicasPath: of.Subresources.Scale.StatusReplicasPath,
			LabelSelectorPath:  of.Subresources.Scale.LabelSelectorPath,
		}
	}
	v.strategy = customresource.NewStrategy(unstructuredscheme.NewUnstructuredObjectTyper(), v.isNamespaced, kind,
		validator, nil, v.schema, status, scale, of.SelectableFields)
	return v, nil
}

// propertiesOf returns the schema of a version; nil if it has none.
func propertiesOf(of *apiextensionsv1.CustomResourceDefinitionVersion) (*apiextensions.JSONSchemaProps, error) {
	if of.Schema == nil || of.Schema.OpenAPIV3Schema == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	var internal apiextensions.CustomResourceValidation
	err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(
		of.Schema, &internal, nil)
	return internal.OpenAPIV3Schema, err
}

// structural returns the structural schema, whose defaults are pruned.
func structural(properties *apiextensions.JSONSchemaProps) (*schema.Structural, error) {
	if properties == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	s, err := schema.NewStructural(properties)
	if err != nil {
		return nil, fmt.Errorf("the schema is not structural: %w", err)
	}
	if errs := schema.ValidateStructural(nil, s); len(errs) > 0 {
		return nil, fmt.Errorf("the API server refuses the schema: %w", errs.ToAggregate())
	}
	s = s.DeepCopy() // it shares its defaults with the properties
	return s, defaulting.PruneDefaults(s)
}

// messages are the texts of rules in CEL.
type messages struct {
	literal    map[string]bool // those that no object decides
	isComputed bool            // some rule computes its text from the object
}

// add adds the texts of all rules of a schema.
func (m *messages) add(s *schema.Structural) {
	if s == nil {
		return
	}
	if m.literal == nil {
		m.literal = map[string]bool{}
	}
	visitor := schema.Visitor{
		Structural: func(s *schema.Structural) bool {
			m.addRules(s.XValidations)
			return false
		},
		NestedValueValidation: func(s *schema.NestedValueValidation) bool {
			m.addRules(s.XValidations)
			return false
		},
	}
	visitor.Visit(s)
}

func (m *messages) addRules(rules apiextensionsv1.ValidationRules) {
	for _, rule := range rules {
		m.isComputed = m.isComputed || rule.MessageExpression != ""
		if message := strings.TrimSpace(rule.Message); message != "" {
			m.literal[message] = true
			continue
		}
		m.literal["failed rule: "+strings.TrimSpace(rule.Rule)] = true
	}
}
