package hash_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hash"
)

// The program of a release, which hotupdate audit asks about pools: hotupdate audit --old-exec ./v1 --new-exec ./v2 shoots.json.
func ExampleServeEras() {
	type pool struct{ MachineType string }
	eras, err := hash.NewEras([]hash.Era[pool]{
		{Name: "bytes", Data: func(raw []byte, _ pool) ([]string, error) { return []string{string(raw)}, nil }},
		{Name: "type", From: "1.34", Data: func(_ []byte, p pool) ([]string, error) { return []string{p.MachineType}, nil }},
	}, []hash.Era[pool]{{Name: "nothing", Data: func([]byte, pool) ([]string, error) { return nil, nil }}})
	if err != nil {
		panic(err)
	}
	read := func(text []byte) (_ *hash.Eras[pool], p pool, err error) { return eras, p, json.Unmarshal(text, &p) }
	in := strings.NewReader(`{"kubernetesVersion":"1.33.2","machineType":"a","providerConfig":{"iops":1}}
{"kubernetesVersion":"1.34.0","machineType":"a","providerConfig":{"iops":1}}
{"kubernetesVersion":"1.34.0","machineType":"a","updateStrategy":"AutoInPlaceUpdate"}`) // os.Stdin
	err = hash.ServeEras(in, os.Stdout, read)
	if err != nil {
		panic(err)
	}
	// Output:
	// {"era":"bytes","data":["{\"iops\":1}"]}
	// {"era":"type","data":["a"]}
	// {"era":"nothing"}
}

func TestServeEras(t *testing.T) {
	t.Parallel()
	inPlace := []hash.Era[int]{{Name: "in place", Data: constant("b")}}
	eras, err := hash.NewEras([]hash.Era[int]{{Name: "first", Data: func(raw []byte, p int) ([]string, error) {
		switch {
		case p == 1:
			return nil, errors.New("no")
		case raw == nil:
			return nil, nil
		}
		return []string{string(raw)}, nil
	}}}, inPlace)
	require.NoError(t, err)
	read := func(text []byte) (*hash.Eras[int], int, error) {
		var pool struct{ Minimum int }
		err := json.Unmarshal(text, &pool)
		if pool.Minimum == 2 {
			err = errors.New("is refused")
		}
		return eras, pool.Minimum, err
	}
	for _, test := range []struct{ in, want, reason string }{
		{"", "", "no pool, no answer"},
		{"{}\n{}", "{\"era\":\"first\"}\n{\"era\":\"first\"}\n", "no config is nothing; the last line needs no end"},
		{`{"providerConfig":{"a":1}}`, `{"era":"first","data":["{\"a\":1}"]}` + "\n", "the bytes as they stand"},
		{`{"providerConfig":null}`, "{\"era\":\"first\"}\n", "null is no config, as for a pointer of Gardener's type"},
		{`{"minimum":1}`, `{"era":"first","error":"hash: era 0 \"first\": its function failed: no"}` + "\n", "an error of the function"},
		{`{"minimum":2}`, `{"error":"is refused"}` + "\n", "an error of reading"},
		{`{"kubernetesVersion":"x"}`, `{"error":"malformed"}` + "\n", "a version that is none"},
		{`{"updateStrategy":"ManualInPlaceUpdate"}`, `{"era":"in place","data":["b"]}` + "\n", "the eras of its strategy"},
		{
			`{"updateStrategy":"x"}`,
			`{"error":"hotupdate: the update strategy is unknown; write AutoRollingUpdate, AutoInPlaceUpdate or ManualInPlaceUpdate"}` + "\n",
			"a strategy that is none",
		},
		{
			"nonsense\n{}",
			`{"error":"the line is not a pool: invalid character 'o' in literal null (expecting 'u')"}` + "\n{\"era\":\"first\"}\n",
			"what is no pool gets an answer, too",
		},
	} {
		var out strings.Builder
		require.NoError(t, hash.ServeEras(strings.NewReader(test.in), &out, read), test.reason)
		if strings.Contains(test.want, "malformed") || strings.Contains(test.want, "its function") {
			assert.Contains(t, out.String(), `"error":"hotupdate: `, test.reason)
			continue
		}
		assert.Equal(t, test.want, out.String(), test.reason)
	}
	require.ErrorIs(t, hash.ServeEras(iotest.ErrReader(io.ErrUnexpectedEOF), io.Discard, read), io.ErrUnexpectedEOF)
	_, closed := io.Pipe()
	require.NoError(t, closed.Close())
	require.ErrorIs(t, hash.ServeEras(strings.NewReader("{}"), closed, read), io.ErrClosedPipe)
}
