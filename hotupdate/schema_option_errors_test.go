package hotupdate_test

import (
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// optionItem is an element that key and hotwhen can name fields of.
type optionItem struct {
	Name string `json:"name"`
	On   bool   `json:"on"`
}

// optionOuter has elements in an object.
type optionOuter struct {
	Items []optionItem `json:"items"`
}

type embeddedSet struct {
	InSet []string `json:"inSet"`
}

type embeddedKey struct {
	InKey []optionItem `json:"inKey"`
}

type embeddedHotWhen struct {
	InHotWhen map[string]optionItem `json:"inHotWhen"`
}

type embeddedDefault struct {
	InDefault *string `json:"inDefault"`
}

type embeddedAs struct {
	InAs string `json:"inAs"`
}

// ownDefault contains itself.
type ownDefault struct {
	Next *ownDefault `json:"next"`
}

type embeddedPresence struct {
	InPresence *optionItem `json:"inPresence"`
}

// misplacedOptionRows have each option on every kind of field that does not take it.
func misplacedOptionRows() []schemaErrorRow {
	misplaced := func(fields ...string) []problem { return at("misplaced-option", "config", fields...) }
	return []schemaErrorRow{
		{"set on what is no slice", errorOf(hotupdate.SchemaOf[struct {
			Any    any                   `json:"any"    hotupdatable:"false,set"`
			Array  [2]string             `json:"array"  hotupdatable:"false,set"`
			Bool   bool                  `json:"bool"   hotupdatable:"false,set"`
			Bytes  []byte                `json:"bytes"  hotupdatable:"false,set"`
			Map    map[string]string     `json:"map"    hotupdatable:"false,set"`
			Number int                   `json:"number" hotupdatable:"false,set"`
			Raw    *runtime.RawExtension `json:"raw"    hotupdatable:"false,set"`
			RawMsg json.RawMessage       `json:"rawMsg" hotupdatable:"false,set"`
			Struct *optionItem           `json:"struct" hotupdatable:"false,set"`
			Text   string                `json:"text"   hotupdatable:"false,set"`
		}]()), misplaced(
			"Any", "Array", "Bool", "Bytes", "Map", "Number", "Raw", "RawMsg", "Struct", "Text",
		), "only slices have an order to ignore"},
		{"key on what is no slice of structs", errorOf(hotupdate.SchemaOf[struct {
			Any     any                   `json:"any"     hotupdatable:"false,key=name"`
			Array   [2]optionItem         `json:"array"   hotupdatable:"false,key=name"`
			Bytes   []byte                `json:"bytes"   hotupdatable:"false,key=name"`
			Lists   [][]optionItem        `json:"lists"   hotupdatable:"false,key=name"`
			Map     map[string]optionItem `json:"map"     hotupdatable:"false,key=name"`
			Maps    []map[string]string   `json:"maps"    hotupdatable:"false,key=name"`
			Struct  optionItem            `json:"struct"  hotupdatable:"false,key=name"`
			Text    string                `json:"text"    hotupdatable:"false,key=name"`
			Texts   []string              `json:"texts"   hotupdatable:"false,key=name"`
			Times   []metav1.Time         `json:"times"   hotupdatable:"false,key=name"`
			Unknown []any                 `json:"unknown" hotupdatable:"false,key=name"`
		}]()), misplaced(
			"Any", "Array", "Bytes", "Lists", "Map", "Maps", "Struct", "Text", "Texts", "Times", "Unknown",
		), "only structs have a field to look up"},
		{"hotwhen on what has no keys", errorOf(hotupdate.SchemaOf[struct {
			Any        any               `json:"any"        hotupdatable:"false,hotwhen=on:true"`
			Array      [2]optionItem     `json:"array"      hotupdatable:"false,hotwhen=on:true"`
			Map        map[string]string `json:"map"        hotupdatable:"false,hotwhen=on:true"`
			Positional []optionItem      `json:"positional" hotupdatable:"false,hotwhen=on:true"`
			Struct     *optionItem       `json:"struct"     hotupdatable:"false,hotwhen=on:true"`
			Text       string            `json:"text"       hotupdatable:"false,hotwhen=on:true"`
			Texts      []string          `json:"texts"      hotupdatable:"false,hotwhen=on:true"`
		}]()), misplaced(
			"Any", "Array", "Map", "Positional", "Struct", "Text", "Texts",
		), "only elements with a key can come and go on their own"},
		{"key and hotwhen on a slice of scalars", errorOf(hotupdate.SchemaOf[struct {
			Texts []string `json:"texts" hotupdatable:"false,key=name,hotwhen=on:true"`
		}]()), []problem{
			{Code: "misplaced-option", Field: "config.Texts"}, {Code: "misplaced-option", Field: "config.Texts"},
		}, "both are misplaced"},
		{"default on what is never absent, or marshals itself", errorOf(hotupdate.SchemaOf[struct {
			Array    [2]string         `json:"array"    hotupdatable:"false,default='[]'"`
			ArrayP   *[2]string        `json:"arrayP"   hotupdatable:"false,default='[]'"`
			Bool     bool              `json:"bool"     hotupdatable:"false,default=true"`
			Map      map[string]string `json:"map"      hotupdatable:"false,default='{}'"`
			Marshal  selfMarshaled     `json:"marshal"  hotupdatable:"false,default=1"`
			Slice    []string          `json:"slice"    hotupdatable:"false,default='[]'"`
			Struct   optionItem        `json:"struct"   hotupdatable:"false,default='{}'"`
			Stringer fmt.Stringer      `json:"stringer" hotupdatable:"false,default=1"`
			Itself   *ownDefault       `json:"itself"   hotupdatable:"false,default='{}'"`
		}]()), misplaced(
			"Array", "ArrayP", "Bool", "Itself", "Map", "Marshal", "Slice", "Stringer", "Struct",
		), "a plain false or an empty list says something, and a type that contains itself has no end"},
		{"as on what is no string", errorOf(hotupdate.SchemaOf[struct {
			Any     any                   `json:"any"     hotupdatable:"false,as=dns"`
			Bytes   []byte                `json:"bytes"   hotupdatable:"false,as=text"`
			Lists   [][]int               `json:"lists"   hotupdatable:"false,as=cidr"`
			Marshal *textValue            `json:"marshal" hotupdatable:"false,as=dns"`
			Number  json.Number           `json:"number"  hotupdatable:"false,as=quantity"`
			Size    *resource.Quantity    `json:"size"    hotupdatable:"false,as=quantity"`
			Struct  *optionItem           `json:"struct"  hotupdatable:"false,as=time"`
			Structs map[string]optionItem `json:"structs" hotupdatable:"false,as=time"`
			Time    *time.Time            `json:"time"    hotupdatable:"false,as=time"`
		}]()), misplaced(
			"Any", "Bytes", "Lists", "Marshal", "Number", "Size", "Struct", "Structs", "Time",
		), "the type of another value decides what it means"},
		{"presence on what is no pointer to a struct, list or map", errorOf(hotupdate.SchemaOf[struct {
			Any      any               `json:"any"      hotupdatable:"false,presence"`
			Map      map[string]string `json:"map"      hotupdatable:"false,presence"`
			Quantity resource.Quantity `json:"quantity" hotupdatable:"false,presence"`
			Slice    []optionItem      `json:"slice"    hotupdatable:"false,presence"`
			Struct   optionItem        `json:"struct"   hotupdatable:"false,presence"`
			Text     string            `json:"text"     hotupdatable:"false,presence"`
			TextP    *string           `json:"textP"    hotupdatable:"false,presence"`
			Time     *metav1.Time      `json:"time"     hotupdatable:"false,presence"`
		}]()), misplaced(
			"Any", "Map", "Quantity", "Slice", "Struct", "Text", "TextP", "Time",
		), "a value cannot be absent, and a scalar's pointer is present anyway"},
		{"options on embedded structs", errorOf(hotupdate.SchemaOf[struct {
			embeddedAs       `hotupdatable:"false,as=dns"`
			embeddedDefault  `hotupdatable:"false,default=a"`
			embeddedHotWhen  `hotupdatable:"false,hotwhen=on:true"`
			embeddedKey      `hotupdatable:"false,key=name"`
			embeddedPresence `hotupdatable:"false,presence"`
			embeddedSet      `hotupdatable:"false,set"`
		}]()), misplaced(
			"embeddedAs", "embeddedDefault", "embeddedHotWhen", "embeddedKey", "embeddedPresence", "embeddedSet",
		), "only a class and secrecy can be handed down"},
	}
}

// defaultRows are defaults that can never take effect.
func defaultRows() []schemaErrorRow {
	return []schemaErrorRow{
		{"default that does not parse", errorOf(hotupdate.SchemaOf[struct {
			Bool     *bool              `json:"bool"     hotupdatable:"false,default=yes"`
			Duration *metav1.Duration   `json:"duration" hotupdatable:"false,default=5"`
			Float    float64            `json:"float"    hotupdatable:"false,default=NaN"`
			Int      int                `json:"int"      hotupdatable:"false,default=1.0"`
			Int8     *int8              `json:"int8"     hotupdatable:"false,default=300"`
			Quantity *resource.Quantity `json:"quantity" hotupdatable:"false,default=1Zi"`
			Uint     uint               `json:"uint"     hotupdatable:"false,default=-1"`
		}]()), at(
			"invalid-default", "config", "Bool", "Duration", "Float", "Int", "Int8", "Quantity", "Uint",
		), "the field can never have that value"},
		{"default of a leaf that does not parse", errorOf(hotupdate.SchemaOf[struct {
			Any    any                  `json:"any"    hotupdatable:"false,default=a"`
			Bytes  *namedBytes          `json:"bytes"  hotupdatable:"false,default=Y"`
			Either *intstr.IntOrString  `json:"either" hotupdatable:"false,default='\"5'"`
			Null   any                  `json:"null"   hotupdatable:"false,default=null"`
			Number json.Number          `json:"number" hotupdatable:"false,default=a"`
			Raw    runtime.RawExtension `json:"raw"    hotupdatable:"false,default='{'"`
			RawMsg json.RawMessage      `json:"rawMsg" hotupdatable:"false,default='{\"a\":1,\"a\":2}'"`
			Time   *time.Time           `json:"time"   hotupdatable:"false,default=1"`
			Zero   *metav1.Time         `json:"zero"   hotupdatable:"false,default=0001-01-01T00:00:00Z"`
		}]()), at(
			"invalid-default", "config", "Any", "Bytes", "Either", "Null", "Number", "Raw", "RawMsg", "Time", "Zero",
		), "free JSON is given in JSON, and what counts as nil is no default"},
		{"default of an object, list or map that it cannot be", errorOf(hotupdate.SchemaOf[struct {
			Doubled *[]optionItem         `json:"doubled" hotupdatable:"false,key=name,default='[{\"name\":\"a\"},{\"name\":\"a\"}]'"`
			Elem    *[]int8               `json:"elem"    hotupdatable:"false,default='[1,300]'"`
			Inner   *optionOuter          `json:"inner"   hotupdatable:"false,default='{\"items\":[{\"on\":1}]}'"`
			JSON    *optionItem           `json:"json"    hotupdatable:"false,default=a"`
			Keyless *[]optionItem         `json:"keyless" hotupdatable:"false,key=name,default='[{\"name\":\"\"},{}]'"`
			Keys    *map[int]string       `json:"keys"    hotupdatable:"false,default='{\"a\":\"\"}'"`
			List    *[]string             `json:"list"    hotupdatable:"false,default='{}'"`
			Map     *map[string]string    `json:"map"     hotupdatable:"false,default='[]'"`
			Null    *optionItem           `json:"null"    hotupdatable:"false,default=null"`
			Set     *[]string             `json:"set"     hotupdatable:"false,set,default='[1]'"`
			Struct  *optionItem           `json:"struct"  hotupdatable:"false,default='{\"nam\":\"a\"}'"`
			Twice   *optionItem           `json:"twice"   hotupdatable:"false,default='{\"on\":true,\"on\":true}'"`
			Values  *map[string]*[]string `json:"values"  hotupdatable:"false,default='{\"a\":\"b\"}'"`
		}]()), at(
			"invalid-default", "config", "Doubled", "Elem", "Inner", "JSON", "Keyless", "Keys", "List", "Map", "Null", "Set", "Struct",
			"Twice", "Values",
		), "the field can never have that value"},
		{"default that is the zero value", errorOf(hotupdate.SchemaOf[struct {
			Duration metav1.Duration   `json:"duration" hotupdatable:"false,default=0s"`
			Float    float64           `json:"float"    hotupdatable:"false,default=-0.0"`
			Int      int               `json:"int"      hotupdatable:"false,default=0"`
			Quantity resource.Quantity `json:"quantity" hotupdatable:"false,default=0Gi"`
			Text     string            `json:"text"     hotupdatable:"false,default=''"`
			Uint     uint8             `json:"uint"     hotupdatable:"false,default=00"`
		}]()), at(
			"invalid-default", "config", "Duration", "Float", "Int", "Quantity", "Text", "Uint",
		), "zero counts as unset already, however it is spelled"},
	}
}
