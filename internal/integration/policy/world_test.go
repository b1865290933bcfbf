package policy_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// command builds hotupdate, once.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "policy")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "hotupdate")
	build := exec.Command("go", "build", "-o", file, "./hotupdate/cmd/hotupdate")
	build.Dir = "../../.."
	build.Stderr = os.Stderr
	return file, build.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := command(); err == nil {
		_ = os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// policiesOf returns the policies that hotupdate rules --policy writes, each with its binding.
func policiesOf(t *testing.T, args ...string) (policies []*evaluator) {
	t.Helper()
	file, err := command()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), file, append([]string{"rules", "--policy"}, args...)...).Output()
	require.NoError(t, err)
	documents := strings.Split(strings.TrimPrefix(string(out), "---\n"), "\n---\n")
	require.Zero(t, len(documents)%2)
	for i := 0; i < len(documents); i += 2 {
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
		require.NoError(t, yaml.UnmarshalStrict([]byte(documents[i]), policy))
		require.NoError(t, yaml.UnmarshalStrict([]byte(documents[i+1]), binding))
		require.Equal(t, policy.Name, binding.Spec.PolicyName)
		require.Equal(t, []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn}, binding.Spec.ValidationActions)
		require.Equal(t, admissionregistrationv1.Ignore, *policy.Spec.FailurePolicy)
		policies = append(policies, compiled(t, policy))
	}
	return policies
}

// oldest is the first Kubernetes version whose API server has the stable version of the policies.
var oldest = version.MajorMinor(1, 30)

// evaluator is a policy as an API server has compiled it.
type evaluator struct {
	name      string
	validator validating.Validator
}

// compiled compiles a policy as the plugin of the API server does, with the stricter costs of new
// versions. No expression may have an error.
func compiled(t *testing.T, policy *admissionregistrationv1.ValidatingAdmissionPolicy) *evaluator {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(oldest, true))
	require.NoError(t, err)
	with := cel.OptionalVariableDeclarations{HasAuthorizer: true, StrictCost: true}
	for i := range policy.Spec.Variables {
		v := policy.Spec.Variables[i]
		result := compiler.CompileAndStoreVariable(
			&validating.Variable{Name: v.Name, Expression: v.Expression}, with, environment.NewExpressions,
		)
		require.Nil(t, result.Error, "%s: %s: %v", policy.Name, v.Name, result.Error)
	}
	var conditions, validations, messages []cel.ExpressionAccessor
	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i]))
	}
	for _, v := range policy.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason})
		messages = append(messages, &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression})
	}
	evaluators := map[string]cel.ConditionEvaluator{}
	for what, expressions := range map[string][]cel.ExpressionAccessor{"conditions": conditions, "validations": validations, "audit": nil} {
		evaluators[what] = compiler.CompileCondition(expressions, with, environment.NewExpressions)
	}
	evaluators["messages"] = compiler.CompileCondition(
		messages, cel.OptionalVariableDeclarations{StrictCost: true}, environment.NewExpressions,
	)
	for what, evaluator := range evaluators {
		require.Empty(t, evaluator.CompilationErrors(), "%s: %s", policy.Name, what)
	}
	matcher := matchconditions.NewMatcher(evaluators["conditions"], policy.Spec.FailurePolicy, "policy", "validate", policy.Name)
	return &evaluator{
		policy.Name,
		validating.NewValidator(evaluators["validations"], matcher, evaluators["audit"], evaluators["messages"], policy.Spec.FailurePolicy),
	}
}

// warned returns the messages for an update, and the errors of expressions. An expression with an
// error does not warn.
func (e *evaluator) warned(t *testing.T, old, updated []byte) (warnings, errors []string) {
	t.Helper()
	before := objectOf(t, old)
	after := objectOf(t, updated)
	kind := after.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: strings.ToLower(kind.Kind) + "s"}
	attributes := admission.NewAttributesRecord(
		after, before, kind, "garden-dev", after.GetName(), resource, "", admission.Update, &metav1.UpdateOptions{}, false, nil,
	)
	versioned := &admission.VersionedAttributes{
		Attributes: attributes, VersionedKind: kind, VersionedObject: after, VersionedOldObject: before,
	}
	result := e.validator.Validate(t.Context(), resource, versioned, nil, &corev1.Namespace{}, celconfig.RuntimeCELCostBudget, nil)
	for _, decision := range result.Decisions {
		switch {
		case decision.Evaluation == validating.EvalError:
			require.Equal(t, validating.ActionAdmit, decision.Action)
			errors = append(errors, decision.Message)
		case decision.Action == validating.ActionDeny:
			warnings = append(warnings, decision.Message)
		}
	}
	return warnings, errors
}

func objectOf(t *testing.T, text []byte) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, object.UnmarshalJSON(bytes.TrimSpace(text)))
	return object
}
