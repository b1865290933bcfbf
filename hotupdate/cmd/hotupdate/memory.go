package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// usualMemory is what the command needs for objects of the usual size, in bytes.
const usualMemory = 20 << 20

// boundMemory collects garbage only when memory reaches a limit, until the context ends. The limit is usualMemory or, if larger objects are
// read, three times what is in use. So memory does not grow with the input, and no more of it is collected than needed. A user who sets GOGC or
// GOMEMLIMIT decides instead.
func boundMemory(ctx context.Context) {
	if os.Getenv("GOGC")+os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(usualMemory)
	go func() {
		adapt := time.NewTicker(10 * time.Millisecond)
		defer adapt.Stop()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-ctx.Done():
				debug.SetGCPercent(percent)
				debug.SetMemoryLimit(limit)
				return
			case <-adapt.C:
				metrics.Read(live)
				debug.SetMemoryLimit(max(usualMemory, 3*int64(live[0].Value.Uint64())))
			}
		}
	}()
}
