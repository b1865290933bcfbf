package mirror

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// writeDocument writes a List with the objects, in the order of their kinds, namespaces and names.
func writeDocument(w io.Writer, objects []*unstructured.Unstructured) error {
	objects = slices.SortedFunc(slices.Values(objects), func(a, b *unstructured.Unstructured) int {
		return cmp.Or(
			cmp.Compare(a.GetKind(), b.GetKind()),
			cmp.Compare(a.GetNamespace(), b.GetNamespace()),
			cmp.Compare(a.GetName(), b.GetName()),
		)
	})
	separator := "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n"
	for _, o := range objects {
		text, err := json.Marshal(o.Object) // sorts the members
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		separator = ",\n"
	}
	if len(objects) == 0 {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n]}\n")
	return err
}
