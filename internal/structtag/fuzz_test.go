package structtag_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/internal/structtag"
)

// FuzzParse compares Parse with an oracle that was written from the grammar alone: reflect finds the value, and one loop over its
// characters reads it.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, ok, problems := structtag.Parse(reflect.StructTag(raw))
		assert.True(t, ok || len(problems) == 0, "problems without a struct tag")

		value, found := reflect.StructTag(raw).Lookup("hotupdatable")
		want, valid := oracleValue(value)
		clean := ok && len(problems) == 0
		isRight := found && valid && reflect.DeepEqual(want, got)
		if clean && !isRight {
			t.Errorf("accepted %q as %+v; reflect finds it: %v, oracle accepts it: %v as %+v", raw, got, found, valid, want)
		}
		if found && !valid && len(problems) == 0 {
			t.Errorf("silent about the value %q", value)
		}
		isUnique := found && oracleCount(raw) == 1
		if isUnique && valid && !clean {
			t.Errorf("rejected %q: %v", raw, problems.Err())
		}
		if !found && oracleCount(raw) == 0 && ok {
			t.Errorf("found a struct tag in %q: %v", raw, problems.Err())
		}
		if !found && oracleHidden(raw) && len(problems) == 0 {
			t.Errorf("silent about the key in %q", raw)
		}
		for _, p := range problems {
			checkHint(t, p.Hint)
		}
		checkMend(t, reflect.StructTag(raw), len(problems))
	})
}

// checkMend fails if Mend changes what is right, returns what is wrong, or loses a pair that reflect saw.
func checkMend(t *testing.T, tag reflect.StructTag, problems int) {
	t.Helper()
	mended, ok := structtag.Mend(tag)
	if ok != (mended != tag) || ok && problems == 0 {
		t.Errorf("mended %q with %d problems to %q: %v", tag, problems, mended, ok)
	}
	if !ok {
		return
	}
	if _, present, left := structtag.Parse(mended); !present || len(left) > 0 {
		t.Errorf("mended %q to %q, which has problems: %v", tag, mended, left.Err())
	}
	for _, name := range []string{"json", "doc", "a", "yaml"} {
		if before, ok := tag.Lookup(name); ok && mended.Get(name) != before {
			t.Errorf("mended %q to %q, which has another %s", tag, mended, name)
		}
	}
}

// checkHint fails if a hint that is a whole struct tag has problems itself.
func checkHint(t *testing.T, hint string) {
	t.Helper()
	_, whole, ok := strings.Cut(hint, "write `hotupdatable:\"")
	end := strings.LastIndexByte(whole, '`')
	isTag := ok && end >= 0 && strings.Count(hint, "`") == 2
	if !isTag || strings.Contains(hint, "CLASS") {
		return
	}
	_, ok, problems := structtag.Parse(reflect.StructTag(`hotupdatable:"` + whole[:end]))
	if !ok || len(problems) > 0 {
		t.Errorf("the hint %q has problems: %v", hint, problems.Err())
	}
}

func seeds() []string {
	all := []string{
		`  `, `json:"a,omitempty" hotupdatable:"true" yaml:"b"`, `json:"a"     hotupdatable:"true" `, `json:"a"hotupdatable:"true"`,
		`json:"a:"hotupdatable:"true"`,
		`hotupdatable:"true" json:a`, `hotupdatable:"\x74rue"`, `hotupdatablexyz:"true"`, `json: "a" yaml=b`,
		`json:"a" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,1,opt,name=a"`,
		`protobuf:"a" protobuf_key:"b" protobuf_val:"c" protobuf_oneof:"d"`,
		`yaml:"a" validate:"b" mapstructure:"c" db:"d" xml:"e" hash:"ignore" listType:"set" bson:"f"`,
		`updated:"a" update:"b" hotkey:"c" mutable:"d" tunable:"e" adaptable:"f" portable:"g"`,
		``, `hotupdatable:"true"`, `json:"tags,omitempty" hotupdatable:"false,key=name,hotwhen=rolling:false,sensitive=keys"`,
		`hotupdatable:true`, `hotupdatable:true json:"tags"`, `json:"a", hotupdatable:"true"`, `hotupdatable="true`, `hotupdatable`,
		`hotupdatable:"false,default='it''s, ok',sensitive"`, `hotupdatable:"false,default=it's,set"`,
		`hotupdatable:"false,default='a'b',,"`,
		`hotupdatable:"true" hotUpdatable:ture,sett`, `doc:"hotupdatable:true" updateable: 'x'`, `json:"a hotupdatable:"true"`,
		`json:a" hotupdatable:"true"`, `"hotupdatable":"true"`, `hotupdatable:\"true\"`, "json:\"a\"\thotupdatable:\"\\q\"",
		`a" b:" hotupdatable:true " c`,
		`json:"le:"hotupdatable:"true"`, `hotupdatable:"true",hotupdatable:"true,set"`, "hotupdatable:\"false,key=\xec\"",
		`yaml:"b"  hotUpdatable:"true" doc:"c"`,
		`hotupdatable:"true" hotupdatable:"true"`,
	}
	for _, value := range []string{
		"true", "false", "inplace", "ignore", "yes", "True", "immutable", "", "set", " true", "true ,set", "'true'", "true, set",
		"true,sett", "true,key:name", "true,false", "true,",
		"false,key=a=b:c d", "true,key=", "true,key='name'", `true,key="name"`, "true,key=a'b", "true,key= name", "true,set=",
		"true,set=false", "true,set,set",
		"false,hotwhen=a:b:c", "false,hotwhen=a:'b,c',key=name", "false,hotwhen=a:''", "true,hotWhen=a:b", "false,hotwhen=a",
		"false,hotwhen=a:", "false,hotwhen=:b",
		"false,keyclass=true:a", "false,keyclass=true:'a,b',keyclass=false:b/*", "false,keyclass=a",
		"false,keyclass=true:a,keyclass=ignore:a", "false,set,keyclass=true:a",
		"false,hotwhen='a':b", "false,hotwhen=a:b'c", "false,default=a=b:c d", "false,default='a,b',sensitive", "false,default='''it''s'''",
		"false,default=''''",
		"false,default=''", "false,default=' a '", "false,default=", "false,default=it's", "false,default='a", "false,default='",
		"false,default='''", "false,default='a'b",
		"false,default=a ,sensitive", "false,default= ", "true,sensitive=keys,set", "false,sensitive=", "false,presence,set",
		"false,key=a,presence",
		"false,as=cidr", "false,set,as=dns,sensitive", "false,as", "false,as=", "false,as=CIDR", "false,as='time'", "false,as=undeclared",
		"false,as=text,as=text",
		"false,default=1Gi,as=quantity", "false,as=duration,presence",
		"false,set,hotwhen=a:b", "false,default=a,set", "false,key=a,default=a", "false,default=a,hotwhen=a:b", "false,default=a,presence",
	} {
		all = append(all, "hotupdatable:"+strconv.Quote(value))
	}
	return all
}

// oracleValue reads CLASS[,OPTION...] from left to right.
func oracleValue(value string) (structtag.Tag, bool) {
	var tag structtag.Tag
	word, rest, more := strings.Cut(value, ",")
	classes := map[string]structtag.Class{
		"true": structtag.Hot, "false": structtag.Immutable, "inplace": structtag.InPlace, "ignore": structtag.Ignored,
	}
	class, ok := classes[word]
	if !ok {
		return tag, false
	}
	tag.Class = class
	seen := map[string]bool{}
	for more {
		var name string
		name, rest, more, ok = oracleOption(&tag, rest)
		if !ok || seen[name] && name != "keyclass" {
			return tag, false
		}
		seen[name] = true
	}
	isPaired := seen["key"] || seen["hotwhen"]
	keys := map[string]bool{}
	for _, k := range tag.Keys {
		if keys[k.Key] || seen["set"] || isPaired {
			return tag, false
		}
		keys[k.Key] = true
	}
	isPairedSet := isPaired && seen["set"]
	isFilledPresence := seen["default"] && seen["presence"]
	return tag, !isPairedSet && !isFilledPresence
}

func oracleOption(tag *structtag.Tag, s string) (name, rest string, more, ok bool) {
	for literal, set := range map[string]func(){
		"set":            func() { tag.Set = true },
		"presence":       func() { tag.Presence = true },
		"sensitive":      func() { tag.Sensitive = structtag.HideValues },
		"sensitive=keys": func() { tag.Sensitive = structtag.HideKeys },
		"as=text":        func() { tag.As = structtag.AsText },
		"as=quantity":    func() { tag.As = structtag.AsQuantity },
		"as=duration":    func() { tag.As = structtag.AsDuration },
		"as=cidr":        func() { tag.As = structtag.AsCIDR },
		"as=dns":         func() { tag.As = structtag.AsDNS },
		"as=time":        func() { tag.As = structtag.AsTime },
	} {
		if option, rest, more := strings.Cut(s, ","); option == literal {
			set()
			name, _, _ := strings.Cut(option, "=")
			return name, rest, more, true
		}
	}
	switch {
	case strings.HasPrefix(s, "key="):
		tag.Key, rest, more = strings.Cut(s[len("key="):], ",")
		return "key", rest, more, oracleName(tag.Key)
	case strings.HasPrefix(s, "default="):
		text, rest, more, ok := oracleText(s[len("default="):])
		tag.Default = &text
		return "default", rest, more, ok
	case strings.HasPrefix(s, "keyclass="):
		word, key, found := strings.Cut(s[len("keyclass="):], ":")
		class, known := map[string]structtag.Class{
			"true": structtag.Hot, "false": structtag.Immutable, "inplace": structtag.InPlace, "ignore": structtag.Ignored,
		}[word]
		text, rest, more, ok := oracleText(key)
		tag.Keys = append(tag.Keys, structtag.KeyClass{Key: text, Class: class})
		return "keyclass", rest, more, ok && found && known
	case strings.HasPrefix(s, "hotwhen="):
		selector, value, found := strings.Cut(s[len("hotwhen="):], ":")
		text, rest, more, ok := oracleText(value)
		tag.HotWhen = &structtag.HotWhen{Name: selector, Value: text}
		return "hotwhen", rest, more, ok && found && oracleName(selector)
	}
	return "", "", false, false
}

func oracleName(name string) bool {
	return name != "" && !strings.ContainsAny(name, `,'"`) && strings.TrimSpace(name) == name
}

// oracleText reads a text up to the comma behind it, one character at a time.
func oracleText(s string) (text, rest string, more, ok bool) {
	if s == "" || s[0] != '\'' {
		text, rest, more = strings.Cut(s, ",")
		return text, rest, more, text != "" && !strings.Contains(text, "'") && strings.TrimSpace(text) == text
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '\'':
			text += s[i : i+1]
		case i+1 == len(s):
			return text, "", false, true
		case s[i+1] == '\'':
			text += "'"
			i++
		case s[i+1] == ',':
			return text, s[i+2:], true, true
		default:
			return "", "", false, false
		}
	}
	return "", "", false, false
}

// oracleCount counts the words of a text that are like the key, wherever they stand. A word ends at all that may end a key.
func oracleCount(raw string) int {
	count := 0
	for _, ends := range []string{":\"", ":=\"'`,;|()[]{}<>\\"} {
		words := strings.FieldsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(ends, r) })
		n := 0
		for _, word := range words {
			word = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(word))
			isSynonym := word == "updatable" || word == "updateable" || word == "hotupdate"
			if isSynonym || oracleNear([]rune(word), []rune("hotupdatable"), 2) {
				n++
			}
		}
		count = max(count, n)
	}
	return count
}

// oracleNear tries every edit.
func oracleNear(a, b []rune, edits int) bool {
	if edits < 0 || len(a) > len(b)+edits || len(b) > len(a)+edits {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a = a[1:]
		b = b[1:]
	}
	if len(a) == 0 || len(b) == 0 {
		return len(a)+len(b) <= edits
	}
	haveTwo := len(a) > 1 && len(b) > 1
	areSwapped := haveTwo && a[0] == b[1] && a[1] == b[0]
	if areSwapped && oracleNear(a[2:], b[2:], edits-1) {
		return true
	}
	return oracleNear(a[1:], b[1:], edits-1) || oracleNear(a[1:], b, edits-1) || oracleNear(a, b[1:], edits-1)
}

// oracleHidden says whether the key stands outside quotes, behind a space or first, and with a colon behind it. Backslashes would
// make it unclear what is quoted.
func oracleHidden(raw string) bool {
	if strings.Contains(raw, `\`) {
		return false
	}
	at := 0
	for {
		i := strings.Index(raw[at:], "hotupdatable:")
		if i < 0 {
			return false
		}
		before := raw[:at+i]
		if strings.Count(before, `"`)%2 == 0 && (before == "" || strings.HasSuffix(before, " ")) {
			return true
		}
		at += i + len("hotupdatable:")
	}
}
