package side_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/internal/extensions"
	"github.com/hotupdate/providerconfig/internal/ratio"
)

const awsConfig = `"providerConfig":{"apiVersion":"aws.provider.extensions.gardener.cloud/v1alpha1","kind":"WorkerConfig",PARTS}`

// growing are parts of a Shoot that may be long. PARTS stands for many, each of which has a number and a value.
var growing = map[string]struct{ metadata, spec, pool, part string }{
	"capacity": {
		pool: strings.Replace(awsConfig, "PARTS", `"nodeTemplate":{"capacity":{PARTS}}`, 1), part: `"example.com/r%06d":"%s"`,
	},
	"volumes of the config": {
		pool: strings.Replace(awsConfig, "PARTS", `"dataVolumes":[PARTS]`, 1), part: `{"name":"v%06d","iops":100%s}`,
	},
	"volumes":     {pool: `"dataVolumes":[PARTS]`, part: `{"name":"v%06d","size":"%s0Gi","type":"gp3"}`},
	"labels":      {pool: `"labels":{PARTS}`, part: `"example.com/r%06d":"%s"`},
	"taints":      {pool: `"taints":[PARTS]`, part: `{"key":"k%06d","value":"%s","effect":"NoSchedule"}`},
	"zones":       {pool: `"zones":[PARTS]`, part: `"eu-%06d%s"`},
	"sysctls":     {pool: `"sysctls":{PARTS}`, part: `"net.core.r%06d":"%s"`},
	"annotations": {metadata: `"annotations":{PARTS}`, part: `"example.com/r%06d":"%s"`},
	"resources": {
		spec: `"resources":[PARTS]`, part: `{"name":"r%06d","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"s%s"}}`,
	},
	"members of nobody": {pool: `"unknown":{PARTS}`, part: `"r%06d":"%s"`},
	"pools": {
		part: `{"name":"p%06d","minimum":1,"maximum":2,"machine":{"type":"m5.large%s","image":{"name":"a","version":"1.1.1"}}}`,
	},
}

// BenchmarkGrowth compares a Shoot with 8,000 parts of one kind, each of which changes, beside one with 2,000: the time is
// to grow with the length, which is four times as large. Where it grows with the square, the ratio is 16.
func BenchmarkGrowth(b *testing.B) {
	schemas, err := side.NewCatalog("", extensions.All())
	require.NoError(b, err)
	options := judge.Options{Schema: schemas.Schema, Providers: extensions.All(), Extension: judge.Both}
	for name, shape := range growing {
		shoot := func(parts int, value string) []byte {
			all := make([]string, 0, parts)
			for i := range parts {
				all = append(all, fmt.Sprintf(shape.part, i, value))
			}
			pools := `{"name":"p","minimum":1,"maximum":2,"machine":{"type":"m5.large","image":{"name":"a","version":"1.1.1"}},` +
				shape.pool + `}`
			if name == "pools" {
				pools = "PARTS"
			}
			text := `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":"orders","namespace":"garden-x",` +
				shape.metadata + `},"spec":{"kubernetes":{"version":"1.33.1"},"provider":{"type":"aws","workers":[` + pools + `]},` +
				shape.spec + `}}`
			text = strings.NewReplacer(",}", "}", "PARTS", strings.Join(all, ",")).Replace(text)
			return []byte(text)
		}
		compare := func(parts int) func() {
			old := shoot(parts, "1")
			updated := shoot(parts, "2")
			return func() {
				_, _, err := (&side.Reader{Schemas: schemas, Options: options}).CompareObjects(b.Context(), old, updated)
				require.NoError(b, err)
			}
		}
		b.Run(name, func(b *testing.B) { ratio.Report(b, 6, compare(8000), compare(2000)) })
	}
}
