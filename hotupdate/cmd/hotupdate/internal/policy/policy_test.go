package policy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/policy"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/internal/fixedseed"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
)

func TestMain(m *testing.M) { os.Exit(fixedseed.Run(m)) }

// TestEveryRowIsRead: the policy for Shoots reads each field of the table that rolls pools or drains nodes, or one above
// it, but for those that only a Worker or the status of a Shoot has.
func TestEveryRowIsRead(t *testing.T) {
	t.Parallel()
	text := policy.Shoots(nil).String()
	reads := func(path string) bool { return strings.Contains(text, `"`+path+`": w`) }
	count := 0
	for _, row := range fields.Pool().Sorted() {
		isOther := row.Path == fields.SecretName || strings.HasPrefix(row.Path, fields.Credentials)
		decides := row.Rolling == fields.Roll || row.InPlace == fields.Drain
		if !decides || isOther {
			isExpected := row.Path == "name" || row.Path == fields.Config
			assert.Equal(t, isExpected, reads(row.Path), row.Path)
			continue
		}
		count++
		isRead := reads(row.Path)
		for at := range row.Path {
			isRead = isRead || row.Path[at] == '.' && reads(row.Path[:at])
		}
		assert.True(t, isRead, row.Path)
	}
	assert.Greater(t, count, 10)
}

// TestErasThatDecideAlike: eras in which the same fields decide are one.
func TestErasThatDecideAlike(t *testing.T) {
	t.Parallel()
	config := policy.Config{Provider: "a"}
	for minor, era := range []policy.Era{
		{IsWhole: true}, {IsWhole: true}, {Fields: []string{"a"}}, {Fields: []string{"a"}}, {Fields: []string{"a", "b[].c"}},
	} {
		era.From = kubeminor.Of(1, uint32(30+minor))
		config.Add(era)
	}
	assert.Len(t, config.Eras, 3)
	text := policy.Shoots([]policy.Config{config}).String()
	assert.Contains(t, text, ">= 32 ? optional.of(dyn([w.?providerConfig.?a])) : w.?providerConfig)")
	assert.Contains(t, text, ">= 34 ? optional.of(dyn([w.?providerConfig.?a, ")
}
