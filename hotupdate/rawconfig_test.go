package hotupdate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// unencodable is an object that cannot be written as JSON.
type unencodable struct{}

func (unencodable) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (unencodable) DeepCopyObject() runtime.Object   { return unencodable{} }
func (unencodable) MarshalJSON() ([]byte, error)     { return nil, errors.New("hunter2") }

func TestRawConfig(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "WorkerConfig"}}
	const encoded = `{"apiVersion":"v1","kind":"WorkerConfig"}`
	for _, row := range []struct {
		name   string
		config *runtime.RawExtension
		want   []byte
		reason string
	}{
		{"nil", nil, nil, "there is no config"},
		{"neither", &runtime.RawExtension{}, nil, "there is no config"},
		{"raw", &runtime.RawExtension{Raw: []byte(` {"a" : 1}`)}, []byte(` {"a" : 1}`), "every byte counts in an era of raw bytes"},
		{"empty", &runtime.RawExtension{Raw: []byte{}}, []byte{}, "today's releases hash it as an empty string"},
		{"both", &runtime.RawExtension{Raw: []byte(`{}`), Object: object}, []byte(`{}`), "as RawExtension is written"},
		{"object", &runtime.RawExtension{Object: object}, []byte(encoded), "an immutable field in it must count"},
	} {
		assert.Equal(t, row.want, hotupdate.RawConfig(row.config), "%s: %s", row.name, row.reason)
	}
}

// TestRawConfigThatCannotBeEncoded: it is neither taken for an empty config nor for one that did not change, and its error is not shown.
func TestRawConfigThatCannotBeEncoded(t *testing.T) {
	of := schemaFor[admitted](t)
	raw := hotupdate.RawConfig(&runtime.RawExtension{Object: unencodable{}})
	_, err := of.HashRaw(raw)
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "invalid-json", fault.All(err)[0].Code)
	_, err = of.StripRaw(raw)
	require.Len(t, fault.All(err), 1)
	assert.Equal(t, "invalid-json", fault.All(err)[0].Code)
	assert.NotEmpty(t, of.ValidateUpdateRaw([]byte(`{}`), raw, hotupdate.AutoRollingUpdate, nil))
	assert.NotContains(t, string(raw), "hunter2")
}
