//go:build !race

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestStart: two small files are compared without the Schemas of what they do not have. The cost of the comparison is
// mostly that of the memory that it touches first.
func TestStart(t *testing.T) {
	const most = 1_450_000
	_, least := started(t, "version")
	_, allocated := started(t, "plan", "--gardener", "none", "../../../examples/shoots/1.36/before.yaml",
		"../../../examples/shoots/1.36/after.yaml")
	assert.Less(t, allocated-least, most)
}
