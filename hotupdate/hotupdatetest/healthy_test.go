package hotupdatetest_test

import (
	"encoding/json"
	"flag"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
	"github.com/hotupdate/providerconfig/internal/effort"
)

// everything has a field of each kind, in each class.
type everything struct {
	metav1.TypeMeta `json:",inline"`
	*Embedded       `json:",inline"`

	Bool      bool                         `json:"bool,omitempty"`
	Small     int8                         `json:"small,omitempty"`
	Large     *uint64                      `json:"large,omitempty"`
	Float     float64                      `json:"float,omitempty"`
	Text      string                       `json:"text,omitempty"      hotupdatable:"false,default=gp3"`
	Number    json.Number                  `json:"number,omitempty"`
	Bytes     []byte                       `json:"bytes,omitempty"     hotupdatable:"false,sensitive"`
	Size      resource.Quantity            `json:"size,omitempty"`
	Limit     *resource.Quantity           `json:"limit,omitempty"     hotupdatable:"inplace,default=50Gi"`
	Port      *intstr.IntOrString          `json:"port,omitempty"`
	Moment    time.Time                    `json:"moment"`
	Expires   *metav1.Time                 `json:"expires,omitempty"   hotupdatable:"true"`
	Exact     metav1.MicroTime             `json:"exact,omitempty"`
	Period    *metav1.Duration             `json:"period,omitempty"`
	Extra     *runtime.RawExtension        `json:"extra,omitempty"`
	Free      json.RawMessage              `json:"free,omitempty"      hotupdatable:"true"`
	Any       any                          `json:"any,omitempty"`
	Address   netip.Addr                   `json:"address,omitempty"`
	Net       net.IP                       `json:"net,omitempty"       hotupdatable:"inplace"`
	Volumes   []namedVolume                `json:"volumes,omitempty"   hotupdatable:"false,key=name"`
	HotList   []namedVolume                `json:"hotList,omitempty"   hotupdatable:"true,key=name"`
	Labels    []label                      `json:"labels,omitempty"    hotupdatable:"false,key=name,hotwhen=rolls:false"`
	Groups    []string                     `json:"groups,omitempty"    hotupdatable:"inplace,set"`
	Zones     []string                     `json:"zones,omitempty"`
	Nested    [][]int32                    `json:"nested,omitempty"    hotupdatable:"ignore"`
	Fixed     [2]*namedVolume              `json:"fixed"`
	Capacity  map[string]resource.Quantity `json:"capacity,omitempty"`
	ByNumber  map[int32]*label             `json:"byNumber,omitempty"`
	ByAddress map[netip.Addr]string        `json:"byAddress,omitempty" hotupdatable:"true,sensitive=keys"`
	Hosts     map[string]presence          `json:"hosts,omitempty"`
	Present   *presence                    `json:"present,omitempty"   hotupdatable:"false,presence"`
	Next      *everything                  `json:"next,omitempty"      hotupdatable:"inplace"`
}

// Embedded is embedded by pointer.
type Embedded struct {
	Depth  uint16 `json:"depth,omitempty"  hotupdatable:"inplace"`
	Hidden string `json:"hidden,omitempty" hotupdatable:"true"`
}

type namedVolume struct {
	Name       string            `json:"name"`
	IOPS       *int32            `json:"iops,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"     hotupdatable:"true"`
	Throughput *int32            `json:"throughput,omitempty" hotupdatable:"false,default=125"`
}

type label struct {
	Name  string `json:"name"`
	Rolls bool   `json:"rolls,omitempty"`
	Owner string `json:"owner,omitempty" hotupdatable:"inplace"`
}

type presence struct {
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// folded marshals itself and does not tell upper from lower case.
type folded struct{ Text string }

func (f folded) MarshalText() ([]byte, error) { return []byte(strings.ToLower(f.Text)), nil }

func (f *folded) UnmarshalText(text []byte) error {
	f.Text = string(text)
	return nil
}

func (f folded) Equal(other folded) bool { return strings.EqualFold(f.Text, other.Text) }

type withFolded struct {
	Name  folded            `json:"name,omitempty"`
	Names map[string]folded `json:"names,omitempty" hotupdatable:"true"`
}

type withCapacity struct {
	NodeTemplate *struct {
		Capacity        map[string]resource.Quantity `json:"capacity,omitempty"`
		VirtualCapacity map[string]resource.Quantity `json:"virtualCapacity,omitempty"`
	} `json:"nodeTemplate,omitempty"`
}

// withPresence has lists and maps of which an empty one is not none.
type withPresence struct {
	Taints *[]listed          `json:"taints,omitempty" hotupdatable:"false,key=name,presence"`
	Hot    *[]listed          `json:"hot,omitempty"    hotupdatable:"true,key=name,presence"`
	Zones  *[]string          `json:"zones,omitempty"  hotupdatable:"inplace,set,presence"`
	Args   *[]string          `json:"args,omitempty"   hotupdatable:"ignore,presence"`
	Labels *map[string]string `json:"labels,omitempty" hotupdatable:"true,presence"`
	Disks  *map[string]listed `json:"disks,omitempty"  hotupdatable:"false,presence"`
	Inner  []*struct {
		Ports *[]int `json:"ports,omitempty" hotupdatable:"false,presence"`
	} `json:"inner,omitempty"`
}

type listed struct {
	Name string `json:"name"`
	Size int    `json:"size,omitempty" hotupdatable:"false"`
	Note string `json:"note,omitempty" hotupdatable:"true"`
}

// joined is like a JoinConfiguration of kubeadm v1beta1, whose nodeRegistration writes itself: an empty list of taints
// is not none. A time that is zero behind a pointer would be read as none.
type joined struct {
	NodeRegistration registration `json:"nodeRegistration,omitempty"`
}

type registration struct {
	Name   string  `json:"name,omitempty"`
	Taints []taint `json:"taints"`
}

type taint struct {
	Key       string       `json:"key"`
	TimeAdded *metav1.Time `json:"timeAdded,omitempty"`
}

func (r *registration) MarshalJSON() ([]byte, error) {
	type withTaints registration
	if r.Taints != nil {
		return json.Marshal((*withTaints)(r))
	}
	return json.Marshal(struct {
		Name string `json:"name,omitempty"`
	}{r.Name})
}

func (r *registration) DeepCopy() *registration {
	out := *r
	out.Taints = slices.Clone(r.Taints)
	for i, t := range out.Taints {
		out.Taints[i].TimeAdded = t.TimeAdded.DeepCopy()
	}
	return &out
}

// drawFewer lets a test draw a tenth of the values, as other packages do, unless a flag or the environment wants another number.
func drawFewer(t *testing.T) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	all := checks.String()
	if effort.All() || all != "100" {
		return
	}
	set := func(n string) {
		if err := checks.Set(n); err != nil {
			t.Error(err)
		}
	}
	set("10")
	t.Cleanup(func() { set(all) })
}

// TestHealthyTypesPass: types whose methods are well-behaved raise no alarm, whatever their shape.
func TestHealthyTypesPass(t *testing.T) {
	drawFewer(t)
	virtual, err := hotupdate.SchemaOf[withCapacity](hotupdate.WithTag("nodeTemplate.virtualCapacity", "ignore"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		run    func(t rapid.TB)
		reason string
	}{
		{"everything", func(t rapid.TB) { hotupdatetest.Check[everything](t) }, "every kind of field in every class, and recursion"},
		{"presence", func(t rapid.TB) { hotupdatetest.Check[withPresence](t) }, "empty lists and maps that mean something"},
		{"aws", func(t rapid.TB) { hotupdatetest.Check[aws.WorkerConfig](t) }, "a real configuration"},
		{"kubeadm", func(t rapid.TB) { hotupdatetest.Check[joined](t) }, "times of a type that writes itself are those that it reads"},
		{"override", func(t rapid.TB) {
			hotupdatetest.Check[withCapacity](
				t, hotupdatetest.WithSchema(virtual), hotupdatetest.WithValues("nodeTemplate.capacity", "cpu", "memory"),
			)
		}, "classes come from the Schema, not from the type"},
		{"normalizing", func(t rapid.TB) {
			hotupdatetest.Check[withFolded](t)
		}, "what is lost means nothing, as the type's method Equal says"},
		{"values", func(t rapid.TB) {
			hotupdatetest.Check[everything](
				t, hotupdatetest.WithValues("text", "gp2", "gp3"), hotupdatetest.WithValues("size", "1Gi", 2),
				hotupdatetest.WithValues("zones[]", "eu-1", "eu-2"),
			)
		}, "values are read by their JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if r := record(t, tc.run); len(r.errors) > 0 || r.ended {
				t.Errorf("%s\n%s", tc.reason, r.text())
			}
		})
	}
}
