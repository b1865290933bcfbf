package hotupdatetest

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// freeJSON are texts for fields that take any JSON.
var freeJSON = []string{`{"a":1}`, `null`, `{}`, `0`, `""`, `[1,{"b":null,"a":[]}]`, `{"b":1.0,"a":"c"}`, `{"a":"c", "b":1}`, `true`, `"a"`}

// texts are values of the kinds of leaves as JSON. Some spell one value in several ways.
var texts = map[leaf.Kind][]string{
	leaf.Bool: {`false`, `true`},
	leaf.Int: {
		`0`, `1`, `2`, `3`, `100`, `-1`, `127`, `-128`, `32767`, `-32768`, `2147483647`, `-2147483648`, `9223372036854775807`, `-9223372036854775808`,
	},
	leaf.Uint:         {`0`, `1`, `2`, `3`, `100`, `255`, `65535`, `4294967295`, `18446744073709551615`},
	leaf.Float:        {`0`, `1`, `0.5`, `-2.5`, `1e21`, `1e-7`},
	leaf.String:       {`""`, `"a"`, `"b"`, `"gp3"`, `"a, b"`, `"it's"`, `"0"`, `"null"`, `"A"`, `"\u00e9"`, `"<&>"`, `"1Gi"`},
	leaf.Number:       {`0`, `1`, `1.50`, `1.5`, `12345678901234567890`, `-3`},
	leaf.Bytes:        {`"YQ=="`, `"Yg=="`, `""`, `"/wA="`},
	leaf.Quantity:     {`"1Gi"`, `"0"`, `"1024Mi"`, `"1"`, `"1000m"`, `"100m"`, `"-3"`, `"1e3"`, `"1k"`, `"0.5"`, `"500m"`, `"1n"`, `"7Ei"`, `"12345678901234567890123"`},
	leaf.IntOrString:  {`1`, `0`, `"25%"`, `"1"`, `""`},
	leaf.Duration:     {`"1h"`, `"60m"`, `"0s"`, `"30m"`, `"1s"`, `"-1s"`},
	leaf.Time:         momentTexts,
	leaf.MetaTime:     momentTexts,
	leaf.MicroTime:    {`"2023-11-14T22:13:20.000000Z"`, `"2023-11-15T03:43:20.000000+05:30"`, `"2023-11-14T22:13:20.500000Z"`, `null`},
	leaf.RawExtension: freeJSON,
	leaf.RawMessage:   freeJSON,
	leaf.Interface:    freeJSON,
	leaf.Opaque:       freeJSON,
}

var momentTexts = []string{`"2023-11-14T22:13:20Z"`, `"2023-11-15T03:43:20+05:30"`, `"2023-11-14T22:13:21Z"`, `"1969-12-31T23:59:59-02:00"`, `null`}

// twists change what a Go value holds beyond its JSON: the time zone, the unused half of an IntOrString, how a quantity keeps its digits.
var twists = map[leaf.Kind]func(v any){
	leaf.MetaTime:  func(v any) { v.(*metav1.Time).Time = v.(*metav1.Time).In(east) },
	leaf.MicroTime: func(v any) { v.(*metav1.MicroTime).Time = v.(*metav1.MicroTime).In(east) },
	leaf.Quantity:  func(v any) { v.(*resource.Quantity).AsDec() },
	leaf.IntOrString: func(v any) {
		if both := v.(*intstr.IntOrString); both.Type == intstr.Int {
			both.StrVal = "stale"
		} else {
			both.IntVal = 7
		}
	},
}

var east = time.FixedZone("", 5*60*60+30*60)

// leaf draws a leaf: one of the values that the tester gave, or one that its kind can have.
func (a author) leaf(p *part) maker {
	n, given := p.node, a.s.given[p.pattern]
	if len(given) == 0 {
		given = a.s.byType[n.Type]
	}
	if len(given) > 0 {
		v := among(a, given...)
		return func() reflect.Value { return copyOf(n, v) }
	}
	if n.Leaf.MarshalsItself() {
		return among(a, a.s.foreign(n.Type)...)
	}
	return among(a, a.s.readable(n)...).make
}

// spelled is a value of a leaf in one of its spellings.
type spelled struct {
	make maker
	text string // canonical
}

// readable are the values of a kind that the leaf's type holds; an interface with methods stays nil.
func (s *subject) readable(n *fieldplan.Node) []spelled {
	if all, ok := s.spelled[n.Type]; ok {
		return all
	}
	var all []spelled
	for _, text := range texts[n.Leaf] {
		if json.Unmarshal([]byte(text), reflect.New(n.Type).Interface()) == nil {
			value := fromJSON(n.Type, []byte(text))
			canonical := string((&part{node: n, make: value}).text())
			all = append(all, spelled{value, canonical})
			if twist := twists[n.Leaf]; twist != nil {
				all = append(all, spelled{func() reflect.Value {
					v := value()
					twist(v.Addr().Interface())
					return v
				}, canonical})
			}
		}
	}
	s.spelled[n.Type] = all
	return all
}

func fromJSON(t reflect.Type, text []byte) maker {
	return func() reflect.Value {
		v := reflect.New(t)
		_ = json.Unmarshal(text, v.Interface())
		return v.Elem()
	}
}

// respelledLeaf makes the same leaf in another spelling, where there is one.
func (a author) respelledLeaf(p *part) maker {
	if p.node.Leaf.MarshalsItself() {
		return p.make
	}
	text := string(p.text())
	same := slices.DeleteFunc(slices.Clone(a.s.readable(p.node)), func(v spelled) bool { return v.text != text || text == "" })
	if len(same) == 0 {
		return p.make
	}
	return among(a, same...).make
}
