package hotupdate_test

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// KeyPart has keys of the struct that embeds it.
type KeyPart struct {
	Int     int    `json:"int"`
	Uint    uint8  `json:"uint"`
	Pointer *int   `json:"pointer,omitempty"`
	Text    string `json:"text"`
}

// KeyPartOuter leads to them by a pointer that is not the first step.
type KeyPartOuter struct {
	*KeyPart
}

// keyRows are lists whose key=NAME names no suitable field.
func keyRows() []schemaErrorRow {
	type item struct {
		Bool      bool               `json:"bool"`
		Defaulted string             `json:"defaulted"           hotupdatable:"false,default=a"`
		Float     float64            `json:"float"`
		Hot       string             `json:"hot"                 hotupdatable:"true"`
		Int       int                `json:"int"`
		List      []string           `json:"list"`
		Marshaled selfMarshaled      `json:"marshaled"`
		Mixed     intstr.IntOrString `json:"mixed"`
		Number    json.Number        `json:"number"`
		Omitempty int                `json:"omitempty,omitempty"`
		Omitzero  uint8              `json:"omitzero,omitzero"`
		Optional  string             `json:"optional,omitempty"`
		Pointer   *string            `json:"pointer,omitempty"`
		Struct    struct{}           `json:"struct"`
		Text      string             `json:"text"`
	}
	type keys struct {
		Bool      []item   `json:"bool"      hotupdatable:"false,key=bool"`
		Defaulted []item   `json:"defaulted" hotupdatable:"false,key=defaulted"`
		Float     []item   `json:"float"     hotupdatable:"false,key=float"`
		GoName    []item   `json:"goName"    hotupdatable:"false,key=Text"`
		Hot       []item   `json:"hot"       hotupdatable:"false,key=hot"`
		List      []item   `json:"list"      hotupdatable:"false,key=list"`
		Marshaled []item   `json:"marshaled" hotupdatable:"false,key=marshaled"`
		Missing   []item   `json:"missing"   hotupdatable:"false,key=nowhere"`
		Mixed     []item   `json:"mixed"     hotupdatable:"false,key=mixed"`
		Number    []item   `json:"number"    hotupdatable:"false,key=number"`
		Omitempty []item   `json:"omitempty" hotupdatable:"false,key=omitempty"`
		Omitzero  []item   `json:"omitzero"  hotupdatable:"false,key=omitzero"`
		Path      []item   `json:"path"      hotupdatable:"false,key=struct.name"`
		Right     []*item  `json:"right"     hotupdatable:"false,key=text"`
		RightText []item   `json:"rightText" hotupdatable:"false,key=optional"`
		RightInt  *[]*item `json:"rightInt"  hotupdatable:"false,key=int"`
		RightPtr  []item   `json:"rightPtr"  hotupdatable:"false,key=pointer"`
		Struct    []item   `json:"struct"    hotupdatable:"false,key=struct"`
	}
	type immutableKey struct {
		Name string `json:"name" hotupdatable:"false"`
	}
	type hotList struct {
		Items []immutableKey `json:"items" hotupdatable:"true,key=name"`
	}
	type plain struct {
		Name string `json:"name"`
	}
	type overridden struct {
		Items []plain `json:"items" hotupdatable:"false,key=name"`
	}
	type byPointer struct {
		*KeyPart
	}
	type byPointerDeep struct {
		KeyPartOuter
	}
	type byValue struct {
		KeyPart
	}
	type embeddedKeys struct {
		Deep      []byPointerDeep `json:"deep"      hotupdatable:"false,key=int"`
		Int       []byPointer     `json:"int"       hotupdatable:"false,key=int"`
		RightInt  []byValue       `json:"rightInt"  hotupdatable:"false,key=int"`
		RightPtr  []byPointer     `json:"rightPtr"  hotupdatable:"false,key=pointer"`
		RightText []byPointer     `json:"rightText" hotupdatable:"false,key=text"`
		Uint      []*byPointer    `json:"uint"      hotupdatable:"false,key=uint"`
	}
	const invalid = "invalid-key-field"
	return []schemaErrorRow{
		{
			"integer keys behind embedded pointers", errorOf(hotupdate.SchemaOf[embeddedKeys]()),
			at(invalid, "hotupdate_test.embeddedKeys", "Deep", "Int", "Uint"),
			"JSON leaves out such an integer, and an exported Schema would read 0",
		},
		{
			"unsuitable keys", errorOf(hotupdate.SchemaOf[keys]()),
			at(invalid, "hotupdate_test.keys", "Bool", "Defaulted", "Float", "GoName", "Hot", "List", "Marshaled", "Missing",
				"Mixed", "Number", "Omitempty", "Omitzero", "Path", "Struct"), "a key is a string, or an integer that JSON never leaves out, of the list's own class",
		},
		{
			"stricter key of a hot list", errorOf(hotupdate.SchemaOf[hotList]()), at(invalid, "hotupdate_test.hotList", "Items"),
			"the key belongs to the list",
		},
		{
			"key made hot by an override", errorOf(hotupdate.SchemaOf[overridden](hotupdate.WithTag("items[].name", "true"))),
			at(invalid, "hotupdate_test.overridden", "Items"), "overrides count as struct tags do",
		},
		{"list made hot by an override, not its key", errorOf(hotupdate.SchemaOf[struct {
			Items []immutableKey `json:"items" hotupdatable:"false,key=name"`
		}](hotupdate.WithTag("items", "true"))), at(invalid, "config", "Items"), "the key's own struct tag stays"},
	}
}

// hotWhenRows are collections whose hotwhen=NAME:VALUE names no suitable field or value.
func hotWhenRows() []schemaErrorRow {
	type item struct {
		Defaulted string   `json:"defaulted"    hotupdatable:"false,default=a"`
		Float     float64  `json:"float"`
		Hot       bool     `json:"hot"          hotupdatable:"true"`
		InPlace   bool     `json:"inPlace"      hotupdatable:"inplace"`
		Int8      int8     `json:"int8"`
		Name      string   `json:"name"`
		On        bool     `json:"on,omitempty"`
		Pointer   *bool    `json:"pointer"`
		Struct    struct{} `json:"struct"`
		Uint      uint     `json:"uint"`
	}
	type selectors struct {
		Defaulted map[string]item `json:"defaulted" hotupdatable:"false,hotwhen=defaulted:b"`
		Float     map[string]item `json:"float"     hotupdatable:"false,hotwhen=float:1"`
		Hot       map[string]item `json:"hot"       hotupdatable:"false,hotwhen=hot:true"`
		InPlace   []item          `json:"inPlace"   hotupdatable:"false,key=name,hotwhen=inPlace:true"`
		Missing   []item          `json:"missing"   hotupdatable:"false,key=name,hotwhen=nowhere:true"`
		NoBool    map[string]item `json:"noBool"    hotupdatable:"false,hotwhen=on:yes"`
		NoInt     map[string]item `json:"noInt"     hotupdatable:"false,hotwhen=int8:one"`
		NoUint    map[string]item `json:"noUint"    hotupdatable:"false,hotwhen=uint:-1"`
		Pointer   map[string]item `json:"pointer"   hotupdatable:"false,hotwhen=pointer:true"`
		Range     map[string]item `json:"range"     hotupdatable:"false,hotwhen=int8:128"`
		Right     map[string]item `json:"right"     hotupdatable:"false,hotwhen=on:true"`
		RightKey  []item          `json:"rightKey"  hotupdatable:"false,hotwhen=name:a,key=name"`
		Struct    map[string]item `json:"struct"    hotupdatable:"false,hotwhen=struct:true"`
	}
	type plain struct {
		Name string `json:"name"`
		On   bool   `json:"on"`
	}
	type hot struct {
		List []plain          `json:"list" hotupdatable:"true,key=name,hotwhen=on:true"`
		Map  map[string]plain `json:"map"  hotupdatable:"true,hotwhen=on:true"`
	}
	type cold struct {
		Map map[string]plain `json:"map" hotupdatable:"false,hotwhen=on:true"`
	}
	const invalid = "invalid-selector"
	return []schemaErrorRow{
		{
			"unsuitable selectors", errorOf(hotupdate.SchemaOf[selectors]()),
			at(invalid, "hotupdate_test.selectors", "Defaulted", "Float", "Hot", "InPlace", "Missing", "NoBool", "NoInt",
				"NoUint", "Pointer", "Range", "Struct"), "one meaning must have one spelling, of the collection's own class",
		},
		{
			"hotwhen on hot collections", errorOf(hotupdate.SchemaOf[hot]()), at(invalid, "hotupdate_test.hot", "List", "Map"),
			"it could never take effect",
		},
		{
			"hotwhen on a collection made hot by an override", errorOf(hotupdate.SchemaOf[cold](hotupdate.WithTag("map", "true"))),
			at(invalid, "hotupdate_test.cold", "Map"), "it could never take effect",
		},
		{
			"selector made hot by an override", errorOf(hotupdate.SchemaOf[cold](hotupdate.WithTag("map[].on", "true"))),
			at(invalid, "hotupdate_test.cold", "Map"), "a hot selector would change the class of its own element",
		},
	}
}
