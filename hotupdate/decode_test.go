package hotupdate_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// TestRawErrors: all functions that read raw JSON report the same problems with their paths, and show no value.
func TestRawErrors(t *testing.T) {
	s := schemaFor[vault](t)
	raw := []byte(
		`{"text":1,"Text":"a","keys":{"keyhunter2":{"a":"hunter2"}},"list":[{"name":"hunter2","name":"hunter2"}],"safe":"hunter2"}`,
	)
	want := []problem{
		valueProblem("wrong-json-type", "text"), valueProblem("unknown-member", "Text"),
		valueProblem("wrong-json-type", "keys[(sensitive)]"), valueProblem("duplicate-member", "list[0].name"),
		valueProblem("wrong-json-type", "safe"),
	}
	_, err := s.Decode(raw)
	checkProblems(t, want, err, "Decode")
	_, err = s.HashRaw(raw)
	checkProblems(t, want, err, "HashRaw")
	_, err = s.DocumentRaw(raw)
	checkProblems(t, want, err, "DocumentRaw")
	_, err = s.DiffRaw(raw, nil)
	checkProblems(t, want, err, "DiffRaw")
	_, err = s.DiffRaw(nil, raw)
	checkProblems(t, want, err, "DiffRaw")
}

// TestMapsHaveEachKeyOnce: a key that occurs twice in a map of any type is refused, although the decoder would take the last one.
func TestMapsHaveEachKeyOnce(t *testing.T) {
	type config struct {
		Texts      map[string]string            `json:"texts"`
		Quantities map[string]resource.Quantity `json:"quantities"`
		Numbers    map[string]int               `json:"numbers"`
	}
	s := schemaFor[config](t)
	for path, raw := range map[string]string{
		"texts[a]": `{"texts":{"a":"1","a":"2"}}`, "quantities[a]": `{"quantities":{"a":"1","a":"2"}}`,
		"numbers[a]": `{"numbers":{"a":1,"a":2}}`,
	} {
		_, err := s.HashRaw([]byte(raw))
		checkProblems(t, []problem{valueProblem("duplicate-member", path)}, err, raw)
	}
}
