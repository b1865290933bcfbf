package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestMemoryIsBounded: the limit follows what is in use, and is as before when the context ends. A user's own setting stays.
func TestMemoryIsBounded(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	before := limit()
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GOGC", "90")
	boundMemory(t.Context())
	assert.Equal(t, before, limit())

	t.Setenv("GOGC", "")
	ctx, cancel := context.WithCancel(t.Context())
	boundMemory(ctx)
	assert.Less(t, limit(), before)
	large := make([]byte, 4*usualMemory)
	runtime.GC()
	assert.Eventually(t, func() bool { return limit() >= int64(3*len(large)) }, time.Minute, time.Millisecond)
	runtime.KeepAlive(large)
	cancel()
	assert.Eventually(t, func() bool { return limit() == before }, time.Minute, time.Millisecond)
}
