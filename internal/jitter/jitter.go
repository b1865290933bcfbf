// Package jitter keeps many machines from doing the same thing at the same moment.
//
// It owns how a delay follows from a text. The same text gives the same delay in every process, so a
// restart changes nothing. It must not know the callers, or what they wait for.
package jitter

import (
	"hash/fnv"
	"time"
)

// Below returns a delay shorter than d that depends on the text, and on the numbers if there are any.
func Below(d time.Duration, text string, numbers ...int64) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	sum := h.Sum64()
	for _, number := range numbers {
		sum = (sum ^ uint64(number)) * prime
	}
	return time.Duration(sum % uint64(max(d, 1)))
}

// prime is the prime of the hash FNV-1a with 64 bits, whose step takes a number here as it takes a byte.
const prime = 1099511628211
