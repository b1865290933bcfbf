package hotupdate_test

import (
	"encoding/json"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestFormatRows runs every row of the specification that has a configuration, on its Go value and on its JSON.
func TestFormatRows(t *testing.T) {
	page, err := os.ReadFile("../hash/FORMAT.md")
	require.NoError(t, err)
	schema, err := hotupdate.SchemaOf[Pool]()
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		_, row, found := strings.Cut(strings.TrimSpace(line), "| `{")
		if !found {
			continue
		}
		config, document, _ := strings.Cut("{"+row, "` | ")
		document = strings.Trim(strings.TrimSuffix(document, " |"), "`")
		raw, err := schema.DocumentRaw([]byte(config))
		if document == "error" {
			assert.Error(t, err, line)
			continue
		}
		assert.NoError(t, err, line)
		assert.Equal(t, document, string(raw), line)
		decoded, err := schema.Decode([]byte(config))
		assert.NoError(t, err, line)
		typed, err := schema.Document(decoded)
		assert.NoError(t, err, line)
		assert.Equal(t, document, string(typed), line)
	}
}

// TestFormatShowsItsType finds the types of the rows on the page, apart from white space.
func TestFormatShowsItsType(t *testing.T) {
	page, err := os.ReadFile("../hash/FORMAT.md")
	require.NoError(t, err)
	source, err := os.ReadFile("format_test.go")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(page), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	require.NotEmpty(t, block)
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	assert.Contains(t, words(string(source)), words(block))
}

type Pool struct {
	metav1.TypeMeta `json:",inline"`

	Zone     string            `json:"zone,omitempty"`
	Price    float64           `json:"price,omitempty"`
	Size     *int32            `json:"size,omitempty"`
	Type     *string           `json:"type,omitempty"     hotupdatable:"false,default=gp3"`
	Profile  *Profile          `json:"profile,omitempty"`
	Metadata *Profile          `json:"metadata,omitempty" hotupdatable:"false,presence"`
	Empty    *struct{}         `json:"empty,omitempty"`
	Mounts   []string          `json:"mounts,omitempty"`
	Hosts    *[]string         `json:"hosts,omitempty"    hotupdatable:"false,presence"`
	Range    [2]int32          `json:"range"`
	Nodes    []*Profile        `json:"nodes,omitempty"`
	Groups   []string          `json:"groups,omitempty"   hotupdatable:"false,set"`
	Volumes  []Disk            `json:"volumes,omitempty"  hotupdatable:"false,key=name"`
	Taints   []Taint           `json:"taints,omitempty"   hotupdatable:"false,key=id,hotwhen=effect:Prefer"`
	Labels   map[string]string `json:"labels,omitempty"`
	Slots    map[int]string    `json:"slots,omitempty"`
	Tags     map[string]string `json:"tags,omitempty"     hotupdatable:"true"`
	Note     string            `json:"note,omitempty"     hotupdatable:"ignore"`
	Cards    []Card            `json:"cards,omitempty"    hotupdatable:"true,key=name"`
	Links    []Card            `json:"links,omitempty"    hotupdatable:"inplace,key=name"`
	Marks    map[string]string `json:"marks,omitempty"    hotupdatable:"false,keyclass=true:tenant,keyclass=true:cost/*,keyclass=false:cost/plan,keyclass=false:cost/fixed/*"`
	Policy   map[string]*int   `json:"policy,omitempty"   hotupdatable:"true,keyclass=false:stage"`
	Racks    map[string]Disk   `json:"racks,omitempty"    hotupdatable:"false,keyclass=true:spare"`
	Limits   *map[string]int   `json:"limits,omitempty"   hotupdatable:"false,presence,keyclass=true:soft"`
	Quotas   *map[string]int   `json:"quotas,omitempty"   hotupdatable:"false,keyclass=true:a,default='{\"a\":1,\"b\":2}'"`

	Memory    *resource.Quantity    `json:"memory,omitempty"`
	Port      intstr.IntOrString    `json:"port,omitempty"`
	OtherPort *intstr.IntOrString   `json:"otherPort,omitempty"`
	Since     *metav1.Time          `json:"since,omitempty"`
	Exactly   *metav1.MicroTime     `json:"exactly,omitempty"`
	Timeout   *metav1.Duration      `json:"timeout,omitempty"`
	Data      []byte                `json:"data,omitempty"`
	Number    *json.Number          `json:"number,omitempty"`
	Quoted    int64                 `json:"quoted,string,omitempty"`
	Extra     *runtime.RawExtension `json:"extra,omitempty"`
	Address   *netip.Addr           `json:"address,omitempty"`

	Limit    string    `json:"limit,omitempty"    hotupdatable:"false,as=quantity"`
	Expires  *string   `json:"expires,omitempty"  hotupdatable:"false,as=duration,default=60m"`
	Networks []string  `json:"networks,omitempty" hotupdatable:"false,set,as=cidr"`
	Host     string    `json:"host,omitempty"     hotupdatable:"false,as=dns"`
	Until    string    `json:"until,omitempty"    hotupdatable:"false,as=time"`
	Features *[]string `json:"features,omitempty" hotupdatable:"false,default='[\"a\"]'"`
	Options  *Options  `json:"options,omitempty"  hotupdatable:"false,default='{\"mode\":\"on\",\"note\":\"x\"}'"`
}

type Options struct {
	Mode string `json:"mode,omitempty"`
	Type string `json:"type,omitempty" hotupdatable:"false,default=gp3"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

type Profile struct {
	Name string `json:"name,omitempty"`
}

type Disk struct {
	Name *string `json:"name,omitempty"`
	GiB  int32   `json:"gib,omitempty"`
	IOPS int32   `json:"iops,omitempty" hotupdatable:"true"`
}

type Taint struct {
	ID     *int32 `json:"id"`
	Effect string `json:"effect,omitempty"`
	Value  string `json:"value,omitempty"`
	Fixed  string `json:"fixed,omitempty"  hotupdatable:"false"`
}

type Card struct {
	Name string `json:"name"`
	MTU  int32  `json:"mtu,omitempty"`
	Kind string `json:"kind,omitempty" hotupdatable:"false"`
}
