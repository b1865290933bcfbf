package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// sizes are hot parts of records, the first before and the second after a change.
var sizes = map[string]func(i int) string{
	"one tag":  func(i int) string { return []string{`{"tags":{"k":"1"}}`, `{"tags":{"k":"2"}}`}[i] },
	"150 tags": changed,
}

// BenchmarkPass reads a record, begins a pass and writes its marker, like each update of a machine.
func BenchmarkPass(b *testing.B) {
	for name, hot := range sizes {
		b.Run(name, func(b *testing.B) {
			r := record.Record{}
			r = r.Create("m", target(hot(0), "vm", "disk"), start)
			annotation := r.Annotation()
			to := target(hot(1), "vm", "disk")
			b.ReportAllocs()
			for b.Loop() {
				r, err := record.Parse(annotation)
				require.NoError(b, err)
				marker := r.Begin(to, "i", start).Marker
				_ = marker.Annotation()
			}
		})
	}
}

// BenchmarkCodec compares this package with package json: it reads the header of a marker, as every scrape of the
// metrics does, and writes the marker.
func BenchmarkCodec(b *testing.B) {
	type head struct {
		Version    int       `json:"v"`
		ProviderID string    `json:"providerID"`
		Schema     string    `json:"schema"`
		State      string    `json:"state"`
		Since      time.Time `json:"since"`
		Wanted     string    `json:"wanted"`
	}
	type whole struct {
		head

		Parts []struct {
			Kinds     []string          `json:"kinds,omitempty"`
			Applied   json.RawMessage   `json:"applied,omitempty"`
			Attempted []json.RawMessage `json:"attempted,omitempty"`
			Removed   []json.RawMessage `json:"removed,omitempty"`
		} `json:"parts"`
	}
	for name, hot := range sizes {
		r := record.Record{}
		r = r.Create("m", target(hot(0), "vm", "disk"), start)
		marker := r.Begin(target(hot(1), "vm", "disk"), "aws:///eu-west-1/i-1", start).Marker
		annotation := marker.Annotation()
		var decoded whole
		require.NoError(b, json.Unmarshal([]byte(annotation), &decoded))
		again, err := json.Marshal(decoded)
		require.NoError(b, err)
		require.Equal(b, annotation, string(again), "both write the same record")
		for action, do := range map[string]func() error{
			"read header": func() error {
				_, _, err := record.ReadHeader(annotation)
				return err
			},
			"read header with package json": func() error {
				var header head
				return json.Unmarshal([]byte(annotation), &header)
			},
			"write": func() error {
				_ = marker.Annotation()
				return nil
			},
			"write with package json": func() error {
				_, err := json.Marshal(decoded)
				return err
			},
		} {
			b.Run(name+"/"+action, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, do())
				}
			})
		}
	}
}
