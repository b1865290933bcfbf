package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// leaf draws a leaf: one of the values that the tester gave, or one that its kind can have.
func (a author) leaf(n *fieldplan.Node, pattern string) maker {
	if given := a.s.values[pattern]; len(given) > 0 {
		v := given[a.pick(len(given))].(reflect.Value)
		return func() reflect.Value { return copyOf(n, v) }
	}
	if given := a.s.byType[n.Type]; len(given) > 0 {
		v := deeply(reflect.ValueOf(given[a.pick(len(given))]))
		return func() reflect.Value { return copyOf(n, v) }
	}
	switch n.Leaf {
	case leaf.Bool:
		return a.converted(n, a.chance(2))
	case leaf.Int:
		return a.integer(n)
	case leaf.Uint:
		return a.natural(n)
	case leaf.Float:
		return a.converted(n, among(a, 0, 1, 0.5, -2.5, 1e21, 1e-7))
	case leaf.String:
		return a.converted(n, among(a, "", "a", "b", "gp3", "a, b", "it's", "0", "null", "A", "\u00e9", "<&>", "1Gi"))
	case leaf.Number:
		return a.converted(n, json.Number(among(a, "0", "1", "1.50", "12345678901234567890", "-3")))
	case leaf.Interface:
		return a.dynamic(n)
	case leaf.JSONMarshaler, leaf.TextMarshaler:
		return among(a, a.s.foreign(n.Type)...)
	case leaf.Bytes, leaf.Quantity, leaf.IntOrString, leaf.Time, leaf.MetaTime, leaf.MicroTime, leaf.Duration, leaf.RawExtension, leaf.RawMessage, leaf.Opaque, leaf.NotALeaf:
	}
	return a.known(n.Leaf)
}

// converted makes a scalar of the leaf's own type.
func (a author) converted(n *fieldplan.Node, v any) maker {
	return fixed(reflect.ValueOf(v).Convert(n.Type))
}

// integer draws mostly small numbers, and now and then the largest or smallest.
func (a author) integer(n *fieldplan.Node) maker {
	v := reflect.New(n.Type).Elem()
	largest := int64(1)<<(n.Type.Bits()-1) - 1
	v.SetInt(among(a, 0, 1, 2, 3, 100, -1, largest, -largest-1))
	return fixed(v)
}

func (a author) natural(n *fieldplan.Node) maker {
	v := reflect.New(n.Type).Elem()
	v.SetUint(among(a, 0, 1, 2, 3, 100, ^uint64(0)>>(64-n.Type.Bits())))
	return fixed(v)
}

// known draws a value of a type that the library knows.
func (a author) known(k leaf.Kind) maker {
	//exhaustive:ignore
	switch k {
	case leaf.Bytes:
		return a.copied(func(text string) any { return []byte(text) }, "a", "b", "", "\xff\x00")
	case leaf.Quantity:
		return a.copied(quantity, "1Gi", "0", "1024Mi", "1", "1000m", "100m", "-3", "1e3", "0.5", "1n", "7Ei", "12345678901234567890123")
	case leaf.IntOrString:
		return fixed(reflect.ValueOf(among(a, intstr.FromInt32(1), intstr.FromInt32(0), intstr.FromString("25%"), intstr.FromString("1"), intstr.FromString(""))))
	case leaf.Time:
		return fixed(reflect.ValueOf(a.time()))
	case leaf.MetaTime:
		return fixed(reflect.ValueOf(metav1.Time{Time: a.time()}))
	case leaf.MicroTime:
		return fixed(reflect.ValueOf(metav1.MicroTime{Time: a.time()}))
	case leaf.Duration:
		return fixed(reflect.ValueOf(metav1.Duration{Duration: among(a, time.Hour, 0, 30*time.Minute, time.Second, -time.Second)}))
	case leaf.RawExtension:
		return a.copied(func(text string) any { return runtime.RawExtension{Raw: rawOrNil(text)} }, freeJSON...)
	default:
		return a.copied(func(text string) any { return json.RawMessage(text) }, freeJSON...)
	}
}

// freeJSON are texts for fields that take any JSON.
var freeJSON = []string{`{"a":1}`, ``, `{}`, `0`, `""`, `[1,{"b":null,"a":[]}]`, `{"b":1.0,"a":"c"}`}

func rawOrNil(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// copied makes its value anew from a text each time, for types that hold memory.
func (a author) copied(from func(text string) any, texts ...string) maker {
	text := among(a, texts...)
	return func() reflect.Value { return reflect.ValueOf(from(text)) }
}

func quantity(text string) any {
	q, _ := resource.ParseQuantity(text) // all texts are well-formed
	return q
}

func (a author) time() time.Time {
	if a.chance(5) {
		return time.Time{}
	}
	return time.Unix(among[int64](a, 1700000000, 0, -1, 1700000001), among[int64](a, 0, 500000000, 1000)).In(a.zone())
}

func (a author) zone() *time.Location {
	return among(a, time.UTC, time.FixedZone("east", 5*3600+1800), time.FixedZone("west", -7200))
}

// dynamic draws what an interface holds: what a JSON decoder would put there. Interfaces with methods stay nil.
func (a author) dynamic(n *fieldplan.Node) maker {
	if n.Type.NumMethod() > 0 {
		return func() reflect.Value { return reflect.Value{} }
	}
	return a.copied(func(text string) any {
		var v any
		_ = json.Unmarshal([]byte(text), &v) // all texts are well-formed
		return v
	}, `"a"`, `null`, `{"a":[1,"b"]}`, `1`, `0`, `""`, `true`, `[]`)
}

// respelled makes the same leaf in another spelling, where there is one.
func (a author) respelled(p *part) maker {
	v := p.make()
	if !v.IsValid() || a.chance(2) {
		return p.make
	}
	//exhaustive:ignore
	switch p.node.Leaf {
	case leaf.Quantity:
		return a.otherQuantity(p)
	case leaf.Time:
		return fixed(reflect.ValueOf(a.moved(v.Interface().(time.Time))))
	case leaf.MetaTime:
		return fixed(reflect.ValueOf(metav1.Time{Time: a.moved(v.Interface().(metav1.Time).Time)}))
	case leaf.MicroTime:
		return fixed(reflect.ValueOf(metav1.MicroTime{Time: a.moved(v.Interface().(metav1.MicroTime).Time)}))
	case leaf.IntOrString:
		return fixed(reflect.ValueOf(staleHalf(v.Interface().(intstr.IntOrString))))
	case leaf.RawMessage:
		spelled := a.spelling(v.Bytes())
		return func() reflect.Value {
			return reflect.ValueOf(json.RawMessage(bytes.Clone(spelled))).Convert(p.node.Type)
		}
	case leaf.RawExtension:
		spelled := a.spelling(v.Interface().(runtime.RawExtension).Raw)
		return func() reflect.Value { return reflect.ValueOf(runtime.RawExtension{Raw: bytes.Clone(spelled)}) }
	}
	return p.make
}

// otherQuantity writes a quantity with other suffixes, as far as the number stays the same.
func (a author) otherQuantity(p *part) maker {
	q := p.make().Interface().(resource.Quantity)
	units := []string{"Mi", "Ki", "m", "k", "e3"}
	unit := units[a.pick(len(units))]
	one, _ := resource.ParseQuantity("1" + unit)
	if one.Value() > 1 && q.Value()%one.Value() == 0 {
		text := strconv.FormatInt(q.Value()/one.Value(), 10) + unit
		if other, err := resource.ParseQuantity(text); err == nil && other.Cmp(q) == 0 {
			return func() reflect.Value { return reflect.ValueOf(quantity(text)) }
		}
	}
	return func() reflect.Value {
		q := p.make().Interface().(resource.Quantity)
		q.AsDec() // the same number in its other representation
		return reflect.ValueOf(q)
	}
}

func (a author) moved(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(a.zone())
}

// staleHalf fills the half of an IntOrString that its type does not use.
func staleHalf(v intstr.IntOrString) intstr.IntOrString {
	if v.Type == intstr.Int {
		v.StrVal = "stale"
	} else {
		v.IntVal = 7
	}
	return v
}

// plain is canonical text without the quotes of a string.
func plain(text []byte) string {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return s
	}
	return string(text)
}
