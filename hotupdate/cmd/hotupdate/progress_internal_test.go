package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestProgress: a run of less than two seconds has no line. A longer one has a line that changes four
// times a second, and is gone at the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := newProgress(&out, func() time.Time { return now })
	for i := range 20 {
		p.tell("read", i, 0)
		now = now.Add(100 * time.Millisecond)
	}
	p.end()
	assert.Empty(t, out.String())
	for i := range 6 {
		p.tell("compared", 1000+i, 3000)
		now = now.Add(100 * time.Millisecond)
	}
	p.end()
	assert.Equal(t, "\rcompared 1,000 of 3,000 objects\x1b[K\rcompared 1,003 of 3,000 objects\x1b[K\r\x1b[K", out.String())

	var none *progress
	none.tell("read", 1, 0)
	none.end()
}
