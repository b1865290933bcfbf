package admission_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/admission"
)

func TestParseReview(t *testing.T) {
	t.Parallel()
	request, err := admission.ParseReview([]byte(reviewOf("7", "UPDATE", `{"a":1}`, `{"a":2}`)))
	require.NoError(t, err)
	assert.Equal(t, "7", request.UID)
	assert.Equal(t, admission.GroupVersionKind{Group: "a.example", Version: "v1", Kind: "Pool"}, request.Kind)
	assert.Equal(t, "dev/web UPDATE", request.Namespace+"/"+request.Name+" "+request.Operation)
	assert.JSONEq(t, `{"a":2}`, string(request.Object))
	assert.JSONEq(t, `{"a":1}`, string(request.OldObject))
	for name, text := range map[string]string{
		"nothing":             ``,
		"another kind":        `{"apiVersion":"admission.k8s.io/v1","kind":"Review","request":{"uid":"1"}}`,
		"an older version":    `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"uid":"1"}}`,
		"an answer":           `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"1"}}`,
		"no uid":              `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}`,
		"a uid in capitals":   `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"UID":"1"}}`,
		"the end is missing":  strings.TrimSuffix(reviewOf("7", "UPDATE", `{}`, `{}`), "}"),
		"a member of no type": `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":7}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := admission.ParseReview([]byte(text))
			require.Error(t, err)
		})
	}
}

// FuzzReview: any text is read without a panic, and only a text is taken that encoding/json reads too. The beginning of a
// review tells no other uid than the whole.
func FuzzReview(f *testing.F) {
	f.Add([]byte(reviewOf("7", "UPDATE", objectOf("", `{"a":1}`), objectOf(`,"annotations":{"a":"b"}`, `{"a":2}`))))
	f.Add([]byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","object":null}}`))
	f.Add([]byte(`{"request":{"uid":"1"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		request, err := admission.ParseReview(text)
		head := admission.UIDOf(text)
		if err != nil {
			return
		}
		require.True(t, json.Valid(text))
		require.NotEmpty(t, request.UID)
		if isOnce := strings.Count(string(text), `"request"`) == 1 && strings.Count(string(text), `"uid"`) == 1; isOnce && head != "" {
			require.Equal(t, request.UID, head)
		}
		digest, _, err := admission.DigestOf(request)
		if err == nil {
			require.Len(t, digest, 32)
		}
	})
}

// TestUIDOf: a review that is not read to its end has its uid at the beginning.
func TestUIDOf(t *testing.T) {
	t.Parallel()
	whole := reviewOf("705ab4f5-6393-11e8-b7cc-42010a800002", "UPDATE", `{}`, `{}`)
	for cut := strings.Index(whole, `","kind":{`) + 1; cut <= len(whole); cut++ {
		require.Equal(t, "705ab4f5-6393-11e8-b7cc-42010a800002", admission.UIDOf([]byte(whole[:cut])), "%d", cut)
	}
	for _, text := range []string{
		"", "[", `{"request":`, `{"request":{"uid":7`, `{"request":{"name":"a","uid":"7"}}`, `{"kind":{},"request":{"uid":"7"}}`,
		whole[:90],
	} {
		assert.Empty(t, admission.UIDOf([]byte(text)), text)
	}
}

// TestDigest: the digest is that of one change of one object in one generation.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(old, updated string) string {
		t.Helper()
		request, err := admission.ParseReview([]byte(reviewOf("7", "UPDATE", old, updated)))
		require.NoError(t, err)
		digest, isConfirmed, err := admission.DigestOf(request)
		require.NoError(t, err)
		assert.False(t, isConfirmed)
		return digest
	}
	old := objectOf("", `{"size":"50Gi","a":[1,2]}`)
	updated := objectOf("", `{"size":"100Gi","a":[1,2]}`)
	first := digest(old, updated)
	for name, same := range map[string][2]string{
		"the order of members": {objectOf("", `{"a":[1,2],"size":"50Gi"}`), objectOf("", `{"a":[1, 2],"size":"100Gi"}`)},
		"status, version and managers": {
			old, objectOf(`,"resourceVersion":"9","managedFields":[{"manager":"kubectl"}]`, `{"size":"100Gi","a":[1,2]},"status":{"a":1}`),
		},
		"a label that stays": {
			objectOf(`,"labels":{"a":"b"}`, `{"size":"50Gi","a":[1,2]}`), objectOf(`,"labels":{"a":"b"}`, `{"size":"100Gi","a":[1,2]}`),
		},
		"the manifest of kubectl": {
			old, objectOf(`,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}`, `{"size":"100Gi","a":[1,2]}`),
		},
		"another confirmation": {old, objectOf(`,"annotations":{"hotupdate.github.io/confirm":"true"}`, `{"size":"100Gi","a":[1,2]}`)},
		"the later generation": {old, strings.Replace(updated, `"generation":4`, `"generation":5`, 1)},
	} {
		assert.Equal(t, first, digest(same[0], same[1]), name)
	}
	for name, other := range map[string][2]string{
		"another value":           {old, objectOf("", `{"size":"101Gi","a":[1,2]}`)},
		"another old value":       {objectOf("", `{"size":"51Gi","a":[1,2]}`), updated},
		"another order of a list": {old, objectOf("", `{"size":"100Gi","a":[2,1]}`)},
		"a label more":            {old, objectOf(`,"labels":{"a":"b"}`, `{"size":"100Gi","a":[1,2]}`)},
		"an operation more": {
			old, objectOf(`,"annotations":{"gardener.cloud/operation":"reconcile"}`, `{"size":"100Gi","a":[1,2]}`),
		},
		"an annotation less":             {objectOf(`,"annotations":{"a":""}`, `{"size":"50Gi","a":[1,2]}`), updated},
		"another object":                 {strings.Replace(old, "u-1", "u-2", 1), updated},
		"the same change once more":      {strings.Replace(old, `"generation":4`, `"generation":6`, 1), updated},
		"a number that floats would cut": {objectOf("", `{"size":9007199254740993}`), objectOf("", `{"size":9007199254740992}`)},
	} {
		assert.NotEqual(t, first, digest(other[0], other[1]), name)
	}
}
