//go:build !unix

package ratio

import "time"

var start = time.Now()

// processorSeconds is the time on the clock, since the system does not tell more to every program.
func processorSeconds() float64 { return time.Since(start).Seconds() }
