package hash_test

import (
	"encoding/json"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// fieldless has no fields at all.
type fieldless struct{}

// leavesConfig has a field for every kind of leaf.
type leavesConfig struct {
	Bool      *bool                        `json:"bool,omitempty"`
	Int       *int64                       `json:"int,omitempty"`
	Uint      uint64                       `json:"uint,omitempty"`
	Float     *float64                     `json:"float,omitempty"`
	Single    float32                      `json:"single,omitempty"`
	Quoted    *int64                       `json:"quoted,omitempty,string"`
	Number    json.Number                  `json:"number,omitempty"`
	Text      *string                      `json:"text,omitempty"`
	Bytes     []byte                       `json:"bytes,omitempty"`
	Size      *resource.Quantity           `json:"size,omitempty"          hotupdatable:"false,default=1Gi"`
	Limits    map[string]resource.Quantity `json:"limits,omitempty"`
	Surge     *intstr.IntOrString          `json:"surge,omitempty"`
	Time      *time.Time                   `json:"time,omitempty"`
	Seconds   *metav1.Time                 `json:"seconds,omitempty"`
	Micros    *metav1.MicroTime            `json:"micros,omitempty"`
	Timeout   *metav1.Duration             `json:"timeout,omitempty"       hotupdatable:"false,default=60m"`
	Extension *runtime.RawExtension        `json:"extension,omitempty"`
	Raw       json.RawMessage              `json:"raw,omitempty"`
	Free      any                          `json:"free,omitempty"`
	Address   netip.Addr                   `json:"address,omitzero"`
}

// shapesConfig has a field for every rule about presence, order and class.
type shapesConfig struct {
	goldenEmbedded `json:",inline"`

	Zone    string                 `json:"zone,omitempty"`
	Drained string                 `json:"drained,omitempty" hotupdatable:"inplace"`
	Note    string                 `json:"note,omitempty"    hotupdatable:"true"`
	Hint    *int32                 `json:"hint,omitempty"    hotupdatable:"ignore"`
	Object  *goldenPart            `json:"object,omitempty"`
	Value   goldenPart             `json:"value,omitempty"`
	Spot    *goldenPart            `json:"spot,omitempty"    hotupdatable:"false,presence"`
	Marker  *fieldless             `json:"marker,omitempty"`
	List    []*goldenPart          `json:"list,omitempty"`
	Lists   [][]string             `json:"lists,omitempty"`
	Array   [3]int32               `json:"array,omitempty"`
	Set     []string               `json:"set,omitempty"     hotupdatable:"false,set"`
	Ports   []int32                `json:"ports,omitempty"   hotupdatable:"false,set"`
	Keyed   []goldenDisk           `json:"keyed,omitempty"   hotupdatable:"false,key=name"`
	Indexed []goldenSlot           `json:"indexed,omitempty" hotupdatable:"inplace,key=index"`
	Labels  []goldenLabel          `json:"labels,omitempty"  hotupdatable:"false,key=name,hotwhen=trigger:false"`
	Map     map[string]*string     `json:"map,omitempty"`
	Numbers map[int32]string       `json:"numbers,omitempty"`
	Hot     map[string]*goldenCore `json:"hot,omitempty"     hotupdatable:"true"`
}

type goldenEmbedded struct {
	Caching *string `json:"caching,omitempty"`
}

type goldenPart struct {
	Name string `json:"name,omitempty"`
	Size *int32 `json:"size,omitempty"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

type goldenDisk struct {
	Name string `json:"name"`
	Size *int32 `json:"size,omitempty"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

type goldenSlot struct {
	Index int64  `json:"index"`
	Disk  string `json:"disk,omitempty"`
}

type goldenLabel struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Trigger bool   `json:"trigger"`
}

type goldenCore struct {
	Weight int32  `json:"weight,omitempty"`
	Image  string `json:"image,omitempty"  hotupdatable:"false"`
}

// vector is one entry of a golden file.
type vector struct {
	name, reason, typ string
	inputs            []string
	document, sum     string
}

// vectors reads a golden file: entries of "field: text" lines, apart by blank lines; # starts a comment.
func vectors(t *testing.T, file string) []vector {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var all []vector
	for entry := range strings.SplitSeq(string(text), "\n\n") {
		if v := readVector(t, entry); v.name != "" {
			all = append(all, v)
		}
	}
	return all
}

func readVector(t *testing.T, entry string) vector {
	t.Helper()
	var v vector
	for line := range strings.Lines(entry) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		field, text, found := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		require.True(t, found, "%q is no field", line)
		text = strings.TrimLeft(text, " ")
		switch field {
		case "name":
			v.name = text
		case "reason":
			v.reason = text
		case "type":
			v.typ = text
		case "input":
			v.inputs = append(v.inputs, text)
		case "document":
			v.document = text
		case "sum":
			v.sum = text
		default:
			require.Fail(t, "unknown field", "%q", line)
		}
	}
	return v
}

// goldenNames are the required vectors: none may be removed, and new ones are added at the end of their type.
const goldenNames = `
aws/nothing aws/proposal-example aws/iops aws/throughput aws/iops-zero aws/data-volumes aws/network-interfaces
aws/capacity aws/tenancy aws/affinity aws/everything
leaves/bool leaves/int-min leaves/int-beyond-float64 leaves/uint-max leaves/float leaves/float-zero leaves/float-large
leaves/float-plain leaves/float-small leaves/float-extremes leaves/single leaves/quoted leaves/number
leaves/number-exponent leaves/text-empty leaves/text-escapes leaves/text-unicode leaves/bytes leaves/default-quantity
leaves/quantity leaves/quantity-large leaves/quantities leaves/surge-number leaves/surge-text leaves/surge-digits
leaves/times leaves/times-extreme leaves/times-zero leaves/duration leaves/duration-zero leaves/free-json
leaves/free-json-empty leaves/free-json-null leaves/text-marshaler
shapes/classes shapes/emptied-objects shapes/objects shapes/presence shapes/list shapes/lists shapes/array-zero
shapes/array shapes/sets shapes/keyed shapes/indexed shapes/hotwhen shapes/hotwhen-all shapes/map shapes/integer-keys
shapes/hot-map
`

func TestGoldenVectors(t *testing.T) {
	schemas := map[string]func(...hotupdate.Option) (*hotupdate.Schema, error){
		"aws": hotupdate.SchemaOf[awsConfig], "leaves": hotupdate.SchemaOf[leavesConfig], "shapes": hotupdate.SchemaOf[shapesConfig],
	}
	var names []string
	for _, v := range vectors(t, "testdata/golden/v1.txt") {
		names = append(names, v.name)
		t.Run(v.name, func(t *testing.T) {
			require.Contains(t, schemas, v.typ)
			s, err := schemas[v.typ]()
			require.NoError(t, err)
			require.NotEmpty(t, v.inputs)
			require.NotEmpty(t, v.reason)
			for _, input := range v.inputs {
				doc, err := s.DocumentRaw([]byte(input))
				require.NoError(t, err, input)
				assert.Equal(t, v.document, string(doc), "%s: %s", v.reason, input)
				sum, err := s.HashRaw([]byte(input))
				require.NoError(t, err, input)
				assert.Equal(t, v.sum, sum.String(), "%s: %s", v.reason, input)
			}
		})
	}
	assert.Equal(t, strings.Fields(goldenNames), names, "a vector was removed, renamed or not listed")
}

// Different documents have different sums, so no two vectors are equal.
func TestGoldenVectorsDiffer(t *testing.T) {
	documents := map[string]string{}
	sums := map[string]string{}
	for _, v := range vectors(t, "testdata/golden/v1.txt") {
		if v.document == "{}" {
			continue
		}
		assert.Empty(t, documents[v.typ+v.document], "%s has the same document", v.name)
		assert.True(t, sums[v.sum] == "" || sums[v.sum] == v.document, "%s has the sum of another document", v.name)
		documents[v.typ+v.document] = v.name
		sums[v.sum] = v.document
	}
}
