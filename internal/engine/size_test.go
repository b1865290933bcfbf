package engine_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// TestDocumentsAreBounded: an array of fixed length is written with all its elements, so that three bytes of JSON are
// 15 KB of a document. A document that is too large is an error, before it has taken much more memory than the bound.
func TestDocumentsAreBounded(t *testing.T) {
	type config struct {
		Lists  [][50][50]bool          `json:"lists,omitempty"`
		Set    [][50][50]bool          `json:"set,omitempty"   hotupdatable:"false,set"`
		Map    map[string][50][50]bool `json:"map,omitempty"`
		Single [50][50]bool            `json:"single"`
	}
	p, err := fieldplan.Build(reflect.TypeFor[config](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	program := engine.Of(p)

	raw := []byte(`{"lists":[` + strings.Repeat("[],", 999) + `[]],"single":[[true]]}`)
	document, ok := program.AppendRaw(nil, raw)
	require.True(t, ok)
	require.Greater(t, len(document), 1000*len(raw), "what the bound is for")

	value, err := rawjson.Read(p, []byte(`{"lists":[`+strings.Repeat("[],", 8999)+`[]]}`))
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = program.Sum(value)
	runtime.ReadMemStats(&after)
	require.Len(t, fault.All(err), 1)
	require.Equal(t, "too-large", fault.All(err)[0].Code)
	require.Contains(t, fault.All(err)[0].Path, "lists[", "where the document is too large")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "a hash needs no memory for it")

	for _, name := range []string{"lists", "set"} {
		runtime.ReadMemStats(&before)
		_, ok := program.SumRaw([]byte(`{"` + name + `":[` + strings.Repeat("[],", 39999) + `[]]}`))
		runtime.ReadMemStats(&after)
		require.False(t, ok, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(512<<20), "%s: the value says it", name)
	}
}
