package hotupdate_test

import (
	"encoding/json"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// cutWorkerConfig is AWS-like, with every construct that the cut distinguishes. NodeTemplate stands for a type that cannot be edited.
type cutWorkerConfig struct {
	metav1.TypeMeta `json:",inline"`

	NodeTemplate  *cutNodeTemplate    `json:"nodeTemplate,omitempty"`
	Volume        *cutVolume          `json:"volume,omitempty"`
	DataVolumes   []cutDataVolume     `json:"dataVolumes,omitempty"        hotupdatable:"false,key=name"`
	Profile       *cutProfile         `json:"iamInstanceProfile,omitempty"`
	Tags          *cutTags            `json:"tags,omitempty"               hotupdatable:"true"`
	Interfaces    []cutNic            `json:"networkInterfaces,omitempty"`
	MachineLabels []cutMachineLabel   `json:"machineLabels,omitempty"      hotupdatable:"false,key=name,hotwhen=triggerRollingOnUpdate:false"`
	Taints        map[string]cutTaint `json:"taints,omitempty"             hotupdatable:"false,hotwhen=effect:so\"ft"`
	Zones         map[string]cutZone  `json:"zones,omitempty"`
	Notes         map[string]cutNote  `json:"notes,omitempty"              hotupdatable:"true"`
	Placement     *cutPlacement       `json:"placement,omitempty"          hotupdatable:"false,presence"`
	Endpoint      *cutEndpoint        `json:"endpoint,omitempty"           hotupdatable:"false,default='{\"mode\":\"on\",\"note\":\"a\"}'"`
	Mirror        *cutEndpoint        `json:"mirror,omitempty"             hotupdatable:"false,default='{\"note\":\"a\"}'"`
	Policy        *cutPolicy          `json:"policy,omitempty"`
	Hint          json.RawMessage     `json:"hint,omitempty"               hotupdatable:"ignore"`
}

// cutEndpoint has a default: absent, it means something else than empty. Of the mirror's default only a hot part is filled in.
type cutEndpoint struct {
	Mode *string `json:"mode,omitempty"`
	Note *string `json:"note,omitempty" hotupdatable:"true"`
}

type cutNodeTemplate struct {
	Capacity        map[string]string `json:"capacity,omitempty"`
	VirtualCapacity map[string]string `json:"virtualCapacity,omitempty"`
}

type cutVolume struct {
	IOPS       *int32 `json:"iops,omitempty"`
	Throughput *int32 `json:"throughput,omitempty" hotupdatable:"true"`
}

type cutDataVolume struct {
	Name       string            `json:"name"`
	IOPS       *int32            `json:"iops,omitempty"`
	Throughput *int32            `json:"throughput,omitempty" hotupdatable:"true"`
	Tags       map[string]string `json:"tags,omitempty"       hotupdatable:"true"`
}

type cutProfile struct {
	Name *string `json:"name,omitempty"`
	ARN  *string `json:"arn,omitempty"  hotupdatable:"inplace"`
}

type cutTags struct {
	VM      map[string]string `json:"vm,omitempty"`
	Network map[string]string `json:"network,omitempty"`
}

type cutNic struct {
	DeviceIndex int64   `json:"deviceIndex"`
	Description *string `json:"description,omitempty" hotupdatable:"true"`
}

type cutMachineLabel struct {
	Name    string    `json:"name"`
	Value   string    `json:"value"`
	Trigger bool      `json:"triggerRollingOnUpdate,omitempty"`
	Extra   *cutExtra `json:"extra,omitempty"`
}

type cutExtra struct {
	Text *string `json:"text,omitempty"`
	Zone *string `json:"zone,omitempty" hotupdatable:"false"`
}

type cutTaint struct {
	Effect string  `json:"effect"`
	Value  string  `json:"value,omitempty"`
	Zone   *string `json:"zone,omitempty"  hotupdatable:"false"`
}

type cutZone struct {
	Subnet *string           `json:"subnet,omitempty"`
	Tags   map[string]string `json:"tags,omitempty"   hotupdatable:"true"`
}

type cutNote struct {
	Text  *string `json:"text,omitempty"`
	Owner *string `json:"owner,omitempty" hotupdatable:"false"`
}

type cutPlacement struct {
	Group *string `json:"group,omitempty" hotupdatable:"true"`
}

// cutPolicy contains itself in every way.
type cutPolicy struct {
	ID    string               `json:"id"`
	Name  *string              `json:"name,omitempty"`
	Note  *string              `json:"note,omitempty"  hotupdatable:"true"`
	Soft  bool                 `json:"soft,omitempty"`
	Child *cutPolicy           `json:"child,omitempty"`
	List  []cutPolicy          `json:"list,omitempty"  hotupdatable:"false,key=id"`
	Rules map[string]cutPolicy `json:"rules,omitempty" hotupdatable:"false,hotwhen=soft:true"`
}

func cutSchema(t require.TestingT) *hotupdate.Schema {
	s, err := hotupdate.SchemaOf[cutWorkerConfig](
		hotupdate.WithTag("nodeTemplate.virtualCapacity", "true"),
	)
	require.NoError(t, err)
	return s
}

// cutNode describes the Schema of cutWorkerConfig by hand, so that the generator depends on no field plan.
type cutNode struct {
	kind     cutKind
	members  map[string]*cutNode // of an object
	elem     *cutNode            // of a list or map
	hotElem  *cutNode            // where the selector holds
	selector string              // member of an element
	selected string              // its value, decoded
	zero     string              // its value where it is absent
	keys     []string            // members that identify an element
	presence bool                // an empty object means something
	hotMap   bool                // presence of the entries is hot
	samples  []string            // of a leaf or hot value, valid for its type
}

type cutKind uint8

const (
	cutLeaf cutKind = iota
	cutHot
	cutObject
	cutList
	cutDict
)

func cutLeafOf(samples ...string) *cutNode { return &cutNode{kind: cutLeaf, samples: samples} }
func cutHotOf(samples ...string) *cutNode  { return &cutNode{kind: cutHot, samples: samples} }
func cutObjectOf(members map[string]*cutNode) *cutNode {
	return &cutNode{kind: cutObject, members: members}
}

var (
	cutTexts   = []string{`"a"`, `"x, }"`, `"{\"tags\":1}"`, `"\u007d,"`, `"\\\""`}
	cutNumbers = []string{"1", "0", "-7", "3000"}
	cutDicts   = []string{`{}`, `{"a":"1"}`, `{ "k}" : "v, }", "\u0074ags":"{" }`}
)

// cutShape returns the shape of cutWorkerConfig. It is built anew for each test: nothing is shared.
func cutShape() *cutNode {
	text := cutLeafOf(cutTexts...)
	number := cutLeafOf(cutNumbers...)
	hotText := cutHotOf(cutTexts...)
	hotNumber := cutHotOf(cutNumbers...)
	hotDict := cutHotOf(cutDicts...)
	placement := cutObjectOf(map[string]*cutNode{"group": hotText})
	placement.presence = true
	endpoint := cutObjectOf(map[string]*cutNode{"mode": text, "note": hotText})
	endpoint.presence = true
	return cutObjectOf(map[string]*cutNode{
		"apiVersion":         text,
		"kind":               text,
		"nodeTemplate":       cutObjectOf(map[string]*cutNode{"capacity": cutLeafOf(cutDicts[1:]...), "virtualCapacity": hotDict}),
		"volume":             cutObjectOf(map[string]*cutNode{"iops": number, "throughput": hotNumber}),
		"iamInstanceProfile": cutObjectOf(map[string]*cutNode{"name": text, "arn": text}),
		"tags":               cutHotOf(`{}`, `{"vm":{"a":"1"},"network":{"{":"}"}}`, `{"vm":null}`),
		"hint":               cutHotOf(`{}`, `[[{"a":"]"}], "}"]`, `1e5`, `""`),
		"placement":          placement,
		"endpoint":           endpoint,
		"mirror":             cutObjectOf(map[string]*cutNode{"mode": text, "note": hotText}),
		"policy":             cutPolicyShape(),
		"dataVolumes": {kind: cutList, keys: []string{"name"}, elem: cutObjectOf(map[string]*cutNode{
			"name": text, "iops": number, "throughput": hotNumber, "tags": hotDict,
		})},
		"networkInterfaces": {kind: cutList, elem: cutObjectOf(map[string]*cutNode{"deviceIndex": number, "description": hotText})},
		"machineLabels":     cutLabelsShape(),
		"taints":            cutTaintsShape(),
		"zones":             {kind: cutDict, elem: cutObjectOf(map[string]*cutNode{"subnet": text, "tags": hotDict})},
		"notes":             {kind: cutDict, hotMap: true, elem: cutObjectOf(map[string]*cutNode{"text": hotText, "owner": text})},
	})
}

func cutLabelsShape() *cutNode {
	text := cutLeafOf(cutTexts...)
	hotText := cutHotOf(cutTexts...)
	trigger := cutLeafOf("true", "false")
	extra := map[string]*cutNode{"text": text, "zone": text}
	hotExtra := map[string]*cutNode{"text": hotText, "zone": text}
	return &cutNode{
		kind: cutList, keys: []string{"name", "triggerRollingOnUpdate"}, selector: "triggerRollingOnUpdate", selected: "false",
		zero: "false",
		elem: cutObjectOf(
			map[string]*cutNode{"name": text, "value": text, "triggerRollingOnUpdate": trigger, "extra": cutObjectOf(extra)},
		),
		hotElem: cutObjectOf(
			map[string]*cutNode{"name": text, "value": hotText, "triggerRollingOnUpdate": trigger, "extra": cutObjectOf(hotExtra)},
		),
	}
}

func cutTaintsShape() *cutNode {
	text := cutLeafOf(cutTexts...)
	effect := cutLeafOf(`"so\"ft"`, `"hard"`, `"\u0073o\u0022ft"`)
	return &cutNode{
		kind: cutDict, keys: []string{"effect"}, selector: "effect", selected: `so"ft`,
		elem:    cutObjectOf(map[string]*cutNode{"effect": effect, "value": text, "zone": text}),
		hotElem: cutObjectOf(map[string]*cutNode{"effect": effect, "value": cutHotOf(cutTexts...), "zone": text}),
	}
}

// cutPolicyShape is recursive. Below a policy for which hotwhen holds, everything is hot except its list and its rules.
func cutPolicyShape() *cutNode {
	text := cutLeafOf(cutTexts...)
	hotText := cutHotOf(cutTexts...)
	immutable := cutObjectOf(map[string]*cutNode{})
	hot := cutObjectOf(map[string]*cutNode{})
	for name, leaf := range map[string]*cutNode{"id": text, "name": text, "soft": cutLeafOf("true", "false")} {
		immutable.members[name] = leaf
		hot.members[name] = cutHotOf(leaf.samples...)
	}
	rules := &cutNode{
		kind: cutDict, keys: []string{"soft"}, selector: "soft", selected: "true", zero: "false", elem: immutable, hotElem: hot,
	}
	for _, p := range []*cutNode{immutable, hot} {
		p.members["note"] = hotText
		p.members["child"] = p
		p.members["rules"] = rules
		p.members["list"] = &cutNode{kind: cutList, keys: []string{"id"}, elem: immutable}
	}
	return immutable
}

// cutLiteral is what a decoder makes of a selector's value.
func cutLiteral(raw string) string {
	var s string
	if strings.HasPrefix(raw, `"`) && json.Unmarshal([]byte(raw), &s) == nil {
		return s
	}
	return raw
}
