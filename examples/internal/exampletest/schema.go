package exampletest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate"
)

var writeSchemas = flag.Bool("schemas", false, "write the Schemas of package extensions")

// testBuiltIn checks that the stored Schema, by which the command hotupdate judges changes, equals
// the example's Schema.
func (p *Provider[C, I, S]) testBuiltIn(t *testing.T) {
	name, _, _ := strings.Cut(p.APIVersion, ".")
	p.checkStored(t, name, p.schema(t))
	if p.RawBytesSchema == nil {
		return
	}
	schema, err := p.RawBytesSchema()
	fatal(t, err)
	p.checkStored(t, name+"-raw-bytes", schema)
}

func (p *Provider[C, I, S]) checkStored(t *testing.T, name string, schema *hotupdate.Schema) {
	t.Helper()
	compact, err := schema.MarshalJSON()
	fatal(t, err)
	var want bytes.Buffer
	fatal(t, json.Indent(&want, compact, "", "  "))
	want.WriteByte('\n')
	file := filepath.Join("..", "..", "internal", "extensions", "schemas", name+".json")
	if *writeSchemas {
		fatal(t, os.WriteFile(file, want.Bytes(), 0o644))
	}
	got, err := os.ReadFile(file)
	fatal(t, err)
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is another Schema: go test ./examples/%s -schemas writes it", file, name)
	}
}
