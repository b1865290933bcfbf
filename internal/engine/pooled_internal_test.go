package engine

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/rawjson"
)

// secret is in the values that must not be shown.
const secret = "s3cr3t"

// TestNothingSensitiveIsKept: memory that is kept for the next run has nothing of a value that must not be shown, nor of
// anything beside it.
func TestNothingSensitiveIsKept(t *testing.T) {
	type config struct {
		Users map[string]string `json:"users" hotupdatable:"false,sensitive"`
		Order map[string]string `json:"order"`
		Token string            `json:"token" hotupdatable:"true,sensitive"`
	}
	p, err := fieldplan.Build(reflect.TypeFor[config](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	raw := []byte(`{"token":"` + secret + `1","users":{"b":"` + secret + `2","a":"` + secret + `3"},"order":{"` + secret + `5":"x","` + secret + `4":"y"}}`)
	program := Of(p)
	value, err := rawjson.Read(p, raw)
	require.NoError(t, err)

	t.Run("raw", func(t *testing.T) {
		kept := transcribe(raw, program.wholeJSON())
		require.True(t, kept.document(program.wholeJSON().root))
		r := kept.run
		require.Contains(t, string(r.buf), secret) // a run that keeps nothing would pass
		kept.release()
		assertNone(t, r.buf, r.scratch, kept.names, kept.moved)
	})
	t.Run("unknown members", func(t *testing.T) {
		type admitting struct {
			Order map[string]string `json:"order"`
			Rest  fieldplan.Unknown `json:"rest"`
		}
		p, err := fieldplan.Build(reflect.TypeFor[admitting](), nil, rawjson.ReadPart)
		require.NoError(t, err)
		kept := transcribe([]byte(`{"other":"`+secret+`"}`), Of(p).wholeJSON())
		require.True(t, kept.document(Of(p).wholeJSON().root))
		r := kept.run
		require.Contains(t, string(r.buf), secret)
		kept.release()
		assertNone(t, r.buf, r.scratch, kept.names, kept.moved)
	})
	t.Run("value", func(t *testing.T) {
		r := start()
		r.write(program.whole, program.whole.root, program.rootOf(value), (*run).document)
		require.Contains(t, string(r.buf), secret)
		r.end()
		assertNone(t, r.buf, r.scratch)
	})
	t.Run("difference", func(t *testing.T) {
		d := differs.Get().(*differ)
		d.only = fieldplan.All
		changes, err := d.diff(p, value, reflect.Zero(value.Type()))
		require.NoError(t, err)
		require.NotEmpty(t, changes)
		require.Contains(t, string(d.texts[0]), secret)
		d.release()
		assertNone(t, d.texts[0], d.texts[1])
	})
}

func assertNone(t *testing.T, buffers ...[]byte) {
	t.Helper()
	for i, buf := range buffers {
		assert.False(t, bytes.Contains(buf[:cap(buf)], []byte(secret)), "buffer %d", i)
	}
}
