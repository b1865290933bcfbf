package hotupdate_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// hinted are the fields of a spec for which a CRD has hints, and for which the Go type has types. The first three are required.
type hinted struct {
	Quantity resource.Quantity `json:"quantity"`
	Duration metav1.Duration   `json:"duration"`
	Time     time.Time         `json:"time"`

	OtherQuantity *resource.Quantity  `json:"otherQuantity,omitempty"`
	OtherDuration *metav1.Duration    `json:"otherDuration,omitempty"`
	OtherTime     *time.Time          `json:"otherTime,omitempty"`
	Either        *resource.Quantity  `json:"either,omitempty"` // by the option as
	List          []resource.Quantity `json:"list,omitempty"`
}

func hintedByCRD(t *testing.T) *hotupdate.Schema {
	t.Helper()
	quantity := openAPI{"type": "string", "format": "quantity"}
	duration := openAPI{"type": "string", "format": "duration"}
	moment := openAPI{"type": "string", "format": "date-time"}
	either := openAPI{"x-kubernetes-int-or-string": true, "format": "quantity"}
	schema, err := hotupdate.SchemaOfCRD(crdOf(t, openAPI{
		"type": "object", "required": []string{"quantity", "duration", "time"}, "properties": openAPI{
			"quantity": either, "duration": duration, "time": moment,
			"otherQuantity": quantity, "otherDuration": duration, "otherTime": moment,
			"either": openAPI{"x-kubernetes-int-or-string": true}, "list": openAPI{"type": "array", "items": either},
		},
	}), "v1", hotupdate.WithTag("either", "false,as=quantity"))
	require.NoError(t, err)
	return schema
}

// TestHintsAdmitWhatTheAPIServerAdmits: a text that is not what the hint of a CRD says stands for itself, in every function.
func TestHintsAdmitWhatTheAPIServerAdmits(t *testing.T) {
	schema := hintedByCRD(t)
	loaded, err := hotupdate.LoadSchema(export(t, schema))
	require.NoError(t, err)
	open, err := schema.AdmitUnknown()
	require.NoError(t, err)
	for _, tc := range []struct{ spec, document, reason string }{
		{`{"quantity":"5%"}`, `{"quantity":"5%"}`, "a share"},
		{`{"quantity":"Never"}`, `{"quantity":"Never"}`, "a word"},
		{`{"quantity":""}`, `{"quantity":""}`, "empty is not zero"},
		{`{"quantity":"0"}`, `{}`, "zero where a value is required"},
		{`{"quantity":0}`, `{}`, "also as a number"},
		{`{"quantity":null}`, `{}`, "nothing"},
		{`{"quantity":"1\u0047i"}`, `{"quantity":"1073741824"}`, "escapes mean nothing"},
		{`{"quantity":" 1Gi"}`, `{"quantity":"1073741824"}`, "as Kubernetes reads it"},
		{`{"quantity":"1e99"}`, `{"quantity":"1e99"}`, "more digits than a quantity has here"},
		{`{"quantity":"1e9999999"}`, `{"quantity":"1e9999999"}`, "too many for Kubernetes' parser"},
		{`{"duration":"1 day"}`, `{"duration":"1 day"}`, "the API server reads it"},
		{`{"duration":""}`, `{"duration":""}`, "empty is not zero"},
		{`{"duration":"0"}`, `{}`, "zero where a value is required"},
		{`{"duration":"90s"}`, `{"duration":"1m30s"}`, ""},
		{`{"time":"2024-01-01t00:00:00z"}`, `{"time":"2024-01-01t00:00:00z"}`, "lower case"},
		{`{"time":""}`, `{"time":""}`, "empty is not zero"},
		{`{"time":"0000-01-01T00:00:00+01:00"}`, `{"time":"0000-01-01T00:00:00+01:00"}`, "a year before 0 in UTC"},
		{`{"time":"2024-01-01T01:00:00+01:00"}`, `{"time":"2024-01-01T00:00:00Z"}`, ""},
		{
			`{"otherQuantity":"","otherDuration":"","otherTime":""}`, `{"otherDuration":"","otherQuantity":"","otherTime":""}`,
			"also where a value is optional",
		},
		{`{"otherQuantity":"0","otherDuration":"0"}`, `{"otherDuration":"0s","otherQuantity":"0"}`, ""},
		{`{"either":"50%"}`, `{"either":"50%"}`, "the option as is a hint, too"},
		{`{"either":5}`, `{"either":"5"}`, ""},
		{`{"list":["","5%",1,"1Ki",null]}`, `{"list":["","5%","1","1024","0"]}`, "elements"},
	} {
		for name, s := range map[string]*hotupdate.Schema{"CRD": schema, "loaded": loaded, "open": open} {
			document, err := s.DocumentRaw([]byte(tc.spec))
			require.NoError(t, err, "%s: %s: %s", name, tc.spec, tc.reason)
			require.Equal(t, tc.document, string(document), "%s: %s: %s", name, tc.spec, tc.reason)
			config, err := s.Decode([]byte(tc.spec))
			require.NoError(t, err)
			typed, err := s.Document(config)
			require.NoError(t, err)
			require.Equal(t, tc.document, string(typed), "%s: %s: %s", name, tc.spec, tc.reason)
			written, err := json.Marshal(config)
			require.NoError(t, err)
			again, err := s.DocumentRaw(written)
			require.NoError(t, err, "%s", written)
			require.Equal(t, tc.document, string(again), "%s: as JSON: %s", name, written)
		}
		changes, err := schema.DiffRaw([]byte(tc.spec), []byte(tc.document))
		require.NoError(t, err)
		require.Empty(t, changes, tc.spec)
	}
	for _, spec := range []string{
		`{"quantity":true}`, `{"quantity":1e99}`, `{"duration":5}`, `{"time":5}`, `{"time":{}}`, `{"list":[[]]}`, `{"otherDuration":1.5}`,
	} {
		_, err := schema.HashRaw([]byte(spec))
		require.Equal(t, "wrong-json-type", problemsOf(err)[0].Code, "the API server refuses it, too: %s", spec)
		require.NotContains(t, err.Error(), "leaf.")
	}
	for _, tc := range []struct{ old, updated, path string }{
		{`{"quantity":""}`, `{}`, "quantity"},
		{`{"quantity":"5%"}`, `{"quantity":"5"}`, "quantity"},
		{`{"duration":"1 day"}`, `{"duration":"24h"}`, "duration"},
		{`{"time":"x"}`, `{"time":"2024-01-01T00:00:00Z"}`, "time"},
	} {
		changes, err := schema.DiffRaw([]byte(tc.old), []byte(tc.updated))
		require.NoError(t, err)
		require.Len(t, changes, 1)
		require.Equal(t, tc.path, changes[0].Path)
	}
}

// TestHintsKeepWhatTheTypeReads: what the Go type reads has the same document under the CRD, and everything else stands for itself.
func TestHintsKeepWhatTheTypeReads(t *testing.T) {
	byCRD := hintedByCRD(t)
	byType := schemaFor[hinted](t)
	names := []string{"quantity", "duration", "time", "otherQuantity", "otherDuration", "otherTime", "either"}
	near := rapid.OneOf(
		rapid.StringMatching(`[-+]?[0-9]{0,3}(\.[0-9]{0,2})?([kMGT]i?|m|e[0-9]{1,3}|%|h|s|ms|h[0-9]m)?`),
		rapid.StringMatching(`[0-2]00[0-9]-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:00:0[0-9](\.[0-9]{1,10})?([Zz]|[+-]0[0-9]:00)?`),
		rapid.String(),
	)
	anything := schemaFor[free](t)
	standing := 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "name")
		text, err := json.Marshal(near.Draw(t, "text"))
		require.NoError(t, err)
		spec := []byte(`{"` + name + `":` + string(text) + `}`)
		got, err := byCRD.DocumentRaw(spec)
		require.NoError(t, err, "%s", spec)
		want, err := byType.DocumentRaw(spec)
		if err != nil {
			standing++
			want, err = anything.DocumentRaw([]byte(`{"any":` + string(text) + `}`))
			require.NoError(t, err)
			want = append([]byte(`{"`+name+`"`), want[len(`{"any"`):]...)
		}
		require.Equal(t, string(want), string(got), "%s", spec)
	})
	require.NotZero(t, standing)
}

type free struct {
	Any json.RawMessage `json:"any"`
}

// TestSchemasOfCRDsKeepTheirMeaning: a Schema that an older release exported from this CRD refuses the texts that it
// refused, and gives all others the documents of today. Between the two, no hash changes.
func TestSchemasOfCRDsKeepTheirMeaning(t *testing.T) {
	exported, err := os.ReadFile("testdata/golden/hinted.schema.json")
	require.NoError(t, err)
	old, err := hotupdate.LoadSchema(exported)
	require.NoError(t, err)
	again, err := json.Marshal(old)
	require.NoError(t, err)
	require.JSONEq(t, string(exported), string(again))
	now := hintedByCRD(t)
	for _, spec := range []string{
		`{"quantity":"1Gi","duration":"90s","time":"2024-01-01T01:00:00+01:00","either":5,"list":["1Ki",0]}`,
		`{"quantity":"0","duration":"0s"}`,
	} {
		want, err := old.HashRaw([]byte(spec))
		require.NoError(t, err)
		got, err := now.HashRaw([]byte(spec))
		require.NoError(t, err)
		require.Equal(t, want, got, spec)
	}
	for _, spec := range []string{`{"quantity":"5%"}`, `{"duration":""}`, `{"time":"2024-01-01t00:00:00z"}`, `{"either":"50%"}`} {
		_, err := old.HashRaw([]byte(spec))
		require.Error(t, err, spec)
	}
	findings, err := hotupdate.Compatibility(old, now)
	require.NoError(t, err)
	require.Len(t, findings, 8)
	for _, f := range findings {
		require.True(t, f.Harmless(), "%s", f)
	}
	findings, err = hotupdate.Compatibility(now, old)
	require.NoError(t, err)
	for _, f := range findings {
		require.Equal(t, hotupdate.Effect{}, f.Roll, "%s", f)
		require.NotEqual(t, hotupdate.Effect{}, f.Forbidden, "a text of another form is refused: %s", f)
	}
}
