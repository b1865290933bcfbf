package lazyregexp_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

func TestOneExpression(t *testing.T) {
	word := lazyregexp.New(`^[a-z]+$`)
	assert.True(t, word().MatchString("word"))
	assert.Same(t, word(), word())
}

func TestBrokenExpression(t *testing.T) {
	assert.Panics(t, func() { lazyregexp.New(`(`) }, "a test finds it at once")
	program := os.Args[0]
	defer func() { os.Args[0] = program }()
	os.Args[0] = "hotupdate"
	broken := lazyregexp.New(`(`)
	assert.Panics(t, func() { broken() }, "another program at its first use")
}
