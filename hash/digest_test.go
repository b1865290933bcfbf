package hash_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
)

// naive is Gardener's composition, written directly from its definition.
func naive(n int, parts ...string) string {
	digests := make([]string, len(parts))
	for i, part := range parts {
		digests[i] = hexSHA256(part)
	}
	return hexSHA256(strings.Join(digests, ""))[:n]
}

func hexSHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(hex.EncodeToString(sum[:]))
}

func TestComposeVectors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n      int
		parts  []string
		want   string
		reason string
	}{
		{5, []string{"sample-hash", "sample"}, "d062f", "published: rolling, with additional data"},
		{5, []string{"sample-hash"}, "159ea", "published: rolling, without"},
		{16, []string{"1.2", "baz"}, "39cf435851056476", "published: in-place key"},
		{5, []string{"sample-hash", "39cf435851056476", "sample"}, "d2857", "published: in-place"},
		{64, nil, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "no part at all is the digest of nothing"},
		{8, []string{""}, "cd372fb8", "an empty part is a part"},
	} {
		assert.Equalf(t, test.want, hash.Compose(test.parts...).String()[:test.n], "%q: %s", test.parts, test.reason)
		assert.Equalf(t, test.want, naive(test.n, test.parts...), "%q: the oracle", test.parts)
	}
}

func TestComposeIsTheDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.String()).Draw(t, "parts")
		assert.Equal(t, naive(64, parts...), hash.Compose(parts...).String())
	})
}

func TestComposeKeepsPartsApart(t *testing.T) {
	t.Parallel()
	assert.NotEqual(t, hash.Compose("ab", "c"), hash.Compose("a", "bc"), "where a part ends counts")
	assert.NotEqual(t, hash.Compose("a", "b"), hash.Compose("b", "a"), "order counts")
	assert.NotEqual(t, hash.Compose("a"), hash.Compose("a", ""), "an empty part is not an absent one")
}
