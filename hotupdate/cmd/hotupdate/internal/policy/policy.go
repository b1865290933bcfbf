// Package policy makes ValidatingAdmissionPolicies that warn of changes that touch machines. An API
// server evaluates them itself, so they need no webhook. They know less than plan: which fields
// differ, but not the effect.
//
// It owns the expressions in CEL. The effects of fields come from the tables of package fields and
// the classes of package crds.
package policy

import (
	"strings"

	"sigs.k8s.io/yaml"
)

// Policy is a ValidatingAdmissionPolicy for the updates of a resource. Its binding has the same name.
type Policy struct {
	name, group, version, resource string

	variables   []variable
	validations []validation
}

// variable is an expression that others name.
type variable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// validation warns unless its expression holds. The message is for a MessageExpression that cannot be evaluated.
type validation struct {
	Expression        string `json:"expression"`
	Message           string `json:"message"`
	MessageExpression string `json:"messageExpression"`
}

// variableName begins the name of a variable in expressions.
const variableName = "variables."

// moreByPlan ends all messages.
const moreByPlan = "; hotupdate plan tells more"

// warning is the validation that warns if the list of a variable has elements.
func warning(list, message, told string) validation {
	return validation{
		Expression:        "size(" + variableName + list + ") == 0",
		Message:           message + moreByPlan,
		MessageExpression: quoted(message+": ") + " + " + told + " + " + quoted(moreByPlan),
	}
}

// object is an object of Kubernetes.
type object = map[string]any

// String returns the policy and its binding in YAML. An expression that cannot be evaluated warns of nothing.
func (p *Policy) String() string {
	const apiVersion = "admissionregistration.k8s.io/v1"
	rule := object{
		"apiGroups": []string{p.group}, "apiVersions": []string{p.version}, "operations": []string{"UPDATE"},
		"resources": []string{p.resource},
	}
	policy := object{
		"apiVersion": apiVersion, "kind": "ValidatingAdmissionPolicy", "metadata": object{"name": p.name},
		"spec": object{
			"failurePolicy":    "Ignore",
			"matchConstraints": object{"matchPolicy": "Exact", "resourceRules": []object{rule}},
			"matchConditions": []object{{
				"name": "is-not-deleted", "expression": "!has(object.metadata.deletionTimestamp)",
			}},
			"variables": p.variables, "validations": p.validations,
		},
	}
	binding := object{
		"apiVersion": apiVersion, "kind": "ValidatingAdmissionPolicyBinding", "metadata": object{"name": p.name},
		"spec": object{"policyName": p.name, "validationActions": []string{"Warn"}},
	}
	var text strings.Builder
	for _, one := range []object{policy, binding} {
		written, _ := yaml.Marshal(one) // strings, and lists and objects of strings
		text.WriteString("---\n" + string(written))
	}
	return text.String()
}
