package hash_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// collision returns two configurations of one pool with the same worker pool hash. Twenty bits make one within some thousand tries.
func collision(t *testing.T, secret string) (a, b hash.Name) {
	t.Helper()
	seen := map[string]hash.Name{}
	for i := range 1 << 16 {
		name, err := hash.WorkerPool(&secret, "iops "+strconv.Itoa(i))
		require.NoError(t, err)
		if other, found := seen[name.Text]; found {
			return other, name
		}
		seen[name.Text] = name
	}
	t.Fatal("no collision")
	return a, b
}

func TestGuardFindsTwoSumsBehindOneName(t *testing.T) {
	t.Parallel()
	old, wanted := collision(t, "gardener-node-agent-pool-0123456789abcdef")
	require.Equal(t, old.Text, wanted.Text)
	require.NotEqual(t, old.Inputs, wanted.Inputs)

	err := hash.CheckCollision(old.Digest.String(), wanted.Digest)
	problems := fault.All(err)
	require.Len(t, problems, 1)
	assert.Equal(t, "name-collision", problems[0].Code)
	for _, part := range []string{"worker pool hash " + old.Text, old.Digest.String(), wanted.Digest.String(), "would silently not apply"} {
		assert.ErrorContains(t, err, part)
	}
}

// recordOf is the record of a digest, and of none.
func recordOf(d hash.Digest) string {
	if d == (hash.Digest{}) {
		return ""
	}
	return d.String()
}

func TestGuard(t *testing.T) {
	t.Parallel()
	a := hash.Digest{0xab, 0xcd, 0xe1}
	b := hash.Digest{0xab, 0xcd, 0xe1, 1}
	for _, test := range []struct {
		name             string
		recorded, wanted hash.Digest
		want             bool
		reason           string
	}{
		{"same", a, a, false, "nothing changed"},
		{"collision", a, b, true, "five digits are equal, the digests are not"},
		{"collision, swapped", b, a, true, "also on the way back"},
		{"sixth digit", a, hash.Digest{0xab, 0xcd, 0xef}, true, "the sixth digit is not in the name"},
		{"fifth digit", a, hash.Digest{0xab, 0xcd, 0xf1}, false, "the fifth digit is, so the machines are replaced"},
		{"first digit", a, hash.Digest{0x1b, 0xcd, 0xe1}, false, "another name"},
		{"nothing recorded, five zeros", hash.Digest{}, hash.Digest{0, 0, 0, 1}, false, "the digits of nothing are no name"},
		{"nothing recorded", hash.Digest{}, a, false, "a new class, one from before adoption, or a lost record"},
	} {
		assert.Equalf(t, test.want, hash.CheckCollision(recordOf(test.recorded), test.wanted) != nil, "%s: %s", test.name, test.reason)
	}
}

func TestGuardSpeaksExactlyIfAChangeWouldBeAbsorbed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawDigest := rapid.Custom(func(t *rapid.T) hash.Digest {
			var d hash.Digest
			for i := range 4 {
				d[i] = rapid.SampledFrom([]byte{1, 2, 16}).Draw(t, "byte")
			}
			return d
		})
		a := drawDigest.Draw(t, "recorded")
		b := drawDigest.Draw(t, "wanted")
		sameName := a.String()[:5] == b.String()[:5]
		assert.Equal(t, sameName && a != b, hash.CheckCollision(recordOf(a), b) != nil)
	})
}

func TestGuardReadsTheRecordStrictly(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 4)
	require.NoError(t, hash.CheckCollision(text, hash.Digest{}))
	for _, test := range []struct{ in, reason string }{
		{text[1:], "a digit too few"},
		{text + "0", "a digit too many"},
		{strings.ToUpper(text), "another case"},
		{"v1:" + text, "the text of a Sum"},
		{" " + text[1:], "white space"},
		{text[:30] + "0x" + text[32:], "no digit in the middle"},
	} {
		problems := fault.All(hash.CheckCollision(test.in, hash.Digest{1}))
		require.Len(t, problems, 1, test.reason)
		assert.Equal(t, "malformed-digest", problems[0].Code, test.reason)
	}
}

func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"", strings.Repeat("0", 64), strings.Repeat("F", 64), strings.Repeat("g", 64), strings.Repeat("a", 63)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		problems := fault.All(hash.CheckCollision(text, hash.Digest{}))
		raw, err := hex.DecodeString(text)
		isDigest := err == nil && len(raw) == sha256.Size && strings.ToLower(text) == text
		isRecord := text == "" || isDigest
		if isMalformed := len(problems) == 1 && problems[0].Code == "malformed-digest"; isMalformed == isRecord {
			t.Errorf("%q: %v", text, problems)
		}
	})
}
