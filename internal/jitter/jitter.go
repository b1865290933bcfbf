// Package jitter keeps many machines from doing the same thing at the same moment.
//
// It owns how a delay follows from a text. The same text gives the same delay in every process, so a
// restart changes nothing. It must not know the callers, or what they wait for.
package jitter

import (
	"hash/fnv"
	"time"
)

// Below returns a delay shorter than d that depends on the text.
func Below(d time.Duration, text string) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return time.Duration(h.Sum64() % uint64(max(d, 1)))
}
