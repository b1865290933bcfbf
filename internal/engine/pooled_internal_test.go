package engine

import (
	"bytes"
	"reflect"
	"runtime"
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
	raw := []byte(`{"token":"` + secret + `\u0031","users":{"b":"` + secret + `2","a":"` + secret + `3"},"order":{"` + secret + `5":"x","` + secret + `4":"y"}}`)
	program := Of(p)
	value, err := rawjson.Read(p, raw)
	require.NoError(t, err)

	t.Run("raw", func(t *testing.T) {
		kept := transcribe(raw, program.wholeJSON())
		require.True(t, kept.document(program.wholeJSON().root))
		r := kept.run
		require.Contains(t, string(r.buf), secret) // a run that keeps nothing would pass
		require.Contains(t, string(scratchOf(&kept.in)), secret)
		kept.release()
		assertNone(t, r.buf, r.scratch, kept.names, kept.moved, scratchOf(&kept.in))
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

// TestNothingSensitiveIsKeptOfProbes: the same for runs that only find out whether something is written.
func TestNothingSensitiveIsKeptOfProbes(t *testing.T) {
	type element struct {
		Name string `json:"name" hotupdatable:"true"`
		Pin  string `json:"pin"  hotupdatable:"false,sensitive"`
	}
	type config struct {
		Pins  [2]string         `json:"pins"  hotupdatable:"false,sensitive"`
		Users map[string]string `json:"users" hotupdatable:"false,sensitive"`
		List  []element         `json:"list"  hotupdatable:"true,key=name"`
	}
	p, err := fieldplan.Build(reflect.TypeFor[config](), nil, rawjson.ReadPart)
	require.NoError(t, err)
	program := Of(p)
	elements := []element{{"a", secret + "1"}}
	value := reflect.ValueOf(config{
		Pins: [2]string{secret + "2", secret + "3"}, Users: map[string]string{"a": secret + "4"}, List: elements,
	})
	fields := map[string]*fieldplan.Field{}
	for _, f := range p.Root.Fields {
		fields[f.Name] = f
	}
	users := fields["users"]
	for name, probe := range map[string]func() bool{
		"array":  func() bool { return program.whole.root.memberOp(fields["pins"]).isWritten(value.Field(0)) },
		"value":  func() bool { return program.isHashed(users.Node, value.Field(1), nil) },
		"member": func() bool { return program.HashedMember(p.Root, nil, users, value.Field(1)).IsFilled },
		"element of a class": func() bool {
			m := valueOf(reflect.ValueOf(elements).Index(0))
			return program.canonical.of(fields["list"].Node).has(program.canonical, m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			made := madeRuns(t)
			require.True(t, probe())
			require.NotEmpty(t, *made)
			for _, r := range *made {
				assertNone(t, r.buf, r.scratch)
			}
		})
	}
}

// madeRuns empties the pool of runs, and returns those that the test then makes.
func madeRuns(t *testing.T) *[]*run {
	t.Helper()
	runtime.GC()
	runtime.GC() // the pool keeps memory through one collection
	var made []*run
	before := runs.New
	runs.New = func() any {
		r := before().(*run)
		made = append(made, r)
		return r
	}
	t.Cleanup(func() { runs.New = before })
	return &made
}

// scratchOf returns the memory of a reader for the last text with escapes.
func scratchOf(r *rawjson.Reader) []byte {
	return reflect.ValueOf(r).Elem().FieldByName("scratch").Bytes()
}

func assertNone(t *testing.T, buffers ...[]byte) {
	t.Helper()
	for i, buf := range buffers {
		assert.False(t, bytes.Contains(buf[:cap(buf)], []byte(secret)), "buffer %d", i)
	}
}
