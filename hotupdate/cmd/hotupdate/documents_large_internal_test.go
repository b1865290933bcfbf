//go:build !race

package main

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These tests read tens of megabytes. The race detector makes that ten times slower, and nothing here is concurrent.

// A stream is read in pieces: 20 MB of documents need the memory of one of them.
func TestStreamsDoNotFillMemory(t *testing.T) {
	document := `{"kind":"Worker","userData":"` + strings.Repeat("x", 100_000) + "\"}\n---\n" // JSON is read faster than YAML
	const count = 200
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in := io.MultiReader(repeat(document, count)...)
	read := 0
	for _, err := range documents([]string{stdin}, in) {
		require.NoError(t, err)
		if read++; read == count {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
	}
	assert.Equal(t, count, read)
	assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
}

func repeat(text string, count int) []io.Reader {
	all := make([]io.Reader, count)
	for i := range all {
		all[i] = strings.NewReader(text)
	}
	return all
}

// The limit holds for each document, not for the stream.
func TestLimitOfADocument(t *testing.T) {
	t.Parallel()
	half := `{"a":"` + strings.Repeat("x", maxDocumentSize/2) + "\"}\n"
	got := collect([]string{stdin}, strings.NewReader(half+"---\n"+half+"---\n"+half))
	assert.Len(t, got, 3)
	got = collect([]string{stdin}, strings.NewReader("b: 1\n---\n"+half+half))
	require.Len(t, got, 2)
	assert.Contains(t, got[1], "is larger than 10 MiB")
}
