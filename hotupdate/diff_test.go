package hotupdate_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// TestDiffOfOneConfigurationIsEmpty: a configuration does not differ from itself, from a copy, nor from one spelled otherwise.
func TestDiffOfOneConfigurationIsEmpty(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		shallow := reflect.New(s.root.typ)
		shallow.Elem().Set(config.Elem())
		for _, other := range []reflect.Value{config, shallow, respelled(t, fullView, s.root, config)} {
			require.Empty(t, s.diff(t, config, other), "%s", s.describe(config, other))
		}
	})
}

// TestDiffSeesThroughSharedMemory: configurations with shared parts have the same changes as configurations with copies of them.
func TestDiffSeesThroughSharedMemory(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		old, updated := s.drawPair(t)
		sharing := reflect.New(s.root.typ)
		sharing.Elem().Set(old.Elem())
		copied := respelled(t, fullView, s.root, old)
		for _, m := range s.root.members() {
			if field := m.of(updated.Elem()); len(m.index) == 1 && chance(t, 2) {
				m.put(sharing.Elem(), field)
				m.put(copied.Elem(), field)
			}
		}
		require.Equal(
			t, withoutPlaces(s.diff(t, old, copied)), withoutPlaces(s.diff(t, old, sharing)), "%s", s.describe(old, copied, sharing),
		)
	})
}

// withoutPlaces leaves out the pointers of changes, which depend on the order of elements.
func withoutPlaces(changes hotupdate.Changes) hotupdate.Changes {
	changes = slices.Clone(changes)
	for i := range changes {
		changes[i].Pointer = ""
	}
	return changes
}

// TestDiffIsMirrored: the reverse has the same changes, with additions for removals and new for old.
func TestDiffIsMirrored(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		a, b := s.drawPair(t)
		there := withoutPlaces(s.diff(t, a, b))
		back := withoutPlaces(s.diff(t, b, a))
		for i, c := range back {
			back[i].Old = c.New
			back[i].New = c.Old
			back[i].Op = map[hotupdate.Op]hotupdate.Op{
				hotupdate.OpReplace: hotupdate.OpReplace, hotupdate.OpAdd: hotupdate.OpRemove, hotupdate.OpRemove: hotupdate.OpAdd,
			}[c.Op]
		}
		require.Equal(t, there, back, "%s", s.describe(a, b))
	})
}

// TestChangesAreWellFormed: changes have the order of their paths, and each path occurs once. Each change has the
// class, the secrecy and the values of its place.
func TestChangesAreWellFormed(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		old, updated := s.drawPair(t)
		changes := s.diff(t, old, updated)
		trails := make([]*trail, len(changes))
		for i, c := range changes {
			trails[i] = follow(s.root, c.Path)
			requireWellFormed(t, c, trails[i], s.describe(old, updated))
			if trails[i].end.name == "" {
				requireNeeded(t, c, changes[i+1:], s.describe(old, updated))
			}
			if !trails[i].fixed {
				requirePointer(t, c, toJSON(t, old), toJSON(t, updated))
			}
		}
		for i := 1; i < len(changes); i++ {
			order := trails[i-1].compare(trails[i])
			areUnnamed := trails[i-1].unnamed && trails[i].unnamed
			if order == 0 && areUnnamed && !changes[i].Sensitive { // a set itself stands before its elements
				order = strings.Compare(changes[i-1].Old+changes[i-1].New, changes[i].Old+changes[i].New)
			}
			require.True(
				t, order < 0 || order == 0 && trails[i].unnamed, "%v before %v\n%s", changes[i-1], changes[i], s.describe(old, updated),
			)
		}
	})
}

func requireWellFormed(t require.TestingT, c hotupdate.Change, at *trail, about about) {
	require.Contains(t, at.classes, c.Class, "%v\n%s", c, about)
	if c.Sensitive || at.end.secret {
		require.Equal(
			t, hotupdate.Change{Sensitive: true}, hotupdate.Change{Sensitive: c.Sensitive, Old: c.Old, New: c.New}, "%v\n%s", c, about,
		)
		return
	}
	require.Equal(t, c.Op == hotupdate.OpAdd, c.Old == "", "%v\n%s", c, about)
	require.Equal(t, c.Op == hotupdate.OpRemove, c.New == "", "%v\n%s", c, about)
	require.NotEqual(t, c.Old, c.New, "%v\n%s", c, about)
	for _, text := range []string{c.Old, c.New} {
		require.True(t, text == "" || json.Valid([]byte(text)), "%v\n%s", c, about)
	}
}

// requireNeeded checks that an element is listed besides its leaves only if none of them is as strict.
func requireNeeded(t require.TestingT, element hotupdate.Change, later hotupdate.Changes, about about) {
	for _, c := range later {
		below, ok := strings.CutPrefix(c.Path, element.Path)
		isBelow := ok && below != "" && below[0] != '#'
		if isBelow && !strings.Contains(c.Path, "(sensitive)") {
			require.Greater(t, c.Class, element.Class, "%v and %v\n%s", element, c, about)
		}
	}
}

// requirePointer checks that the pointer of a change leads to a value.
func requirePointer(t require.TestingT, c hotupdate.Change, old, updated []byte) {
	into := updated
	if c.Op == hotupdate.OpRemove {
		into = old
	}
	at := jsonTree(into)
	for _, token := range strings.Split(c.Pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch x := at.(type) {
		case map[string]any:
			member, ok := x[token]
			require.True(t, ok, "%v in %s", c, into)
			at = member
		case []any:
			i, err := strconv.Atoi(token)
			require.True(t, err == nil && i < len(x), "%v in %s", c, into)
			at = x[i]
		default:
			require.Fail(t, "the pointer leads nowhere", "%v in %s", c, into)
		}
	}
}

// trail is a path of a change, read with the knowledge of the type.
type trail struct {
	end     modelNode
	classes []hotupdate.Class // that a change there may have
	keys    []any             // strings and numbers that order the changes
	fixed   bool              // in an array or below a default: one that is left out has the elements of the zero array, or of the default
	unnamed bool              // an element of a set, in which changes stand in the order of their values; or a hidden key
}

// follow reads a path such as tags.vm[cost-center].
func follow(root modelNode, path string) *trail {
	t := &trail{end: root, classes: []hotupdate.Class{root.class}}
	for path != "" {
		path = t.step(path)
	}
	return t
}

// step takes the first step of a path and returns the rest.
func (t *trail) step(path string) string {
	if t.end.shape() == objectShape {
		name, rest := cutName(path)
		t.enter(t.end.member(name), name)
		return rest
	}
	key, rest := cutKey(path)
	ordinal, rest := cutOrdinal(rest)
	t.enterElement(key)
	t.order(ordinal)
	return rest
}

func (t *trail) enter(m modelNode, key any) {
	if inherits := m.class == t.end.class; !inherits {
		t.classes = []hotupdate.Class{m.class}
	}
	t.fixed = t.fixed || m.marksPresence() && !m.presence
	t.end = m
	t.order(key)
}

// order adds a key, unless an earlier one is not known.
func (t *trail) order(key any) {
	if !t.unnamed {
		t.keys = append(t.keys, key)
	}
}

func (t *trail) enterElement(key string) {
	p := t.end
	t.end = p.elem()
	if p.when != "" {
		t.classes = append(t.classes, hotupdate.Hot)
	}
	isHidden := strings.Contains(key, "(sensitive)")
	if class, ruled := p.classOfKey(unquotedKey(key)); ruled && !isHidden {
		t.classes = append(t.classes, class)
	}
	if isHidden { // any rule may be about it
		for _, rule := range p.keyRules() {
			t.classes = append(t.classes, rule.class)
		}
	}
	t.fixed = t.fixed || p.shape() == arrayShape
	t.unnamed = t.unnamed || p.set || isHidden
	id := strings.TrimPrefix(key, p.key+"=")
	number, err := strconv.ParseInt(id, 10, 64)
	switch {
	case p.shape() == listShape && id == `""`: // an absent integer
		t.order("")
	case p.shape() == mapShape, p.key != "" && base(t.end.member(p.key).typ).Kind() == reflect.String:
		t.order(unquotedKey(id))
	case err == nil:
		t.order(number)
	default:
		unsigned, _ := strconv.ParseUint(id, 10, 64)
		t.order(unsigned)
	}
}

func unquotedKey(key string) string {
	if text, err := strconv.Unquote(key); err == nil && key[0] == '"' {
		return text
	}
	return key
}

// cutName reads name, .name or ["name"].
func cutName(path string) (name, rest string) {
	if strings.HasPrefix(path, `["`) {
		key, rest := cutKey(path)
		return unquotedKey(key), rest
	}
	path = strings.TrimPrefix(path, ".")
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end], path[end:]
	}
	return path, ""
}

// cutKey reads a key in brackets.
func cutKey(path string) (key, rest string) {
	quoted := false
	for i := 0; i < len(path); i++ {
		switch {
		case quoted && path[i] == '\\':
			i++
		case path[i] == '"':
			quoted = !quoted
		case path[i] == ']' && !quoted:
			return path[1:i], path[i+1:]
		}
	}
	panic("no end: " + path)
}

// cutOrdinal reads the number of a second or later element with one key.
func cutOrdinal(path string) (ordinal int64, rest string) {
	number, isNumbered := strings.CutPrefix(path, "#")
	if !isNumbered {
		return 1, path
	}
	digits := number[:strings.IndexAny(number+".", ".[")]
	ordinal, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || ordinal < 2 {
		panic("no ordinal: " + path)
	}
	return ordinal, number[len(digits):]
}

// compare orders trails: members by name, elements by key, value or position, and a whole before its parts.
func (t *trail) compare(o *trail) int {
	for i := range min(len(t.keys), len(o.keys)) {
		if order := compareKeys(t.keys[i], o.keys[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(t.keys), len(o.keys))
}

func compareKeys(a, b any) int {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y)
		}
		return -1 // an absent integer
	case int64:
		switch y := b.(type) {
		case string:
			return +1
		case int64:
			return cmp.Compare(x, y)
		}
		return -1 // the other one is above all int64
	case uint64:
		if y, ok := b.(uint64); ok {
			return cmp.Compare(x, y)
		}
		return +1
	}
	panic(fmt.Sprintf("no key: %v", a))
}

// TestDiffOfNullsInAFlippedElement: null is an entry of an immutable map and none of a hot one, so a map that both
// sides spell alike differs if its element flips. The same holds for the elements of a list below.
func TestDiffOfNullsInAFlippedElement(t *testing.T) {
	type part struct {
		Texts map[string]*string `json:"texts"`
	}
	type element struct {
		Name  string             `json:"name"`
		Cold  bool               `json:"cold"`
		Texts map[string]*string `json:"texts"`
		Parts []part             `json:"parts"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"false,key=name,hotwhen=cold:false"`
	}
	same := `"texts":{"a":null},"parts":[{"texts":{"b":null}}]`
	changes, err := schemaFor[config](t).DiffRaw(
		[]byte(`{"elements":[{"name":"e","cold":true,`+same+`}]}`), []byte(`{"elements":[{"name":"e",`+same+`}]}`))
	require.NoError(t, err)
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	require.Equal(t, []string{"elements[name=e].cold", "elements[name=e].parts[0].texts[b]", "elements[name=e].texts[a]"}, paths)
}

// TestDiffTakesTheStricterList: an element that is removed with a flip is only in one list, but the stricter of both
// lists decides its class.
func TestDiffTakesTheStricterList(t *testing.T) {
	type element struct {
		Name string   `json:"name"`
		Cold bool     `json:"cold"`
		List []string `json:"list"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"ignore,key=name,hotwhen=cold:false"`
	}
	old := `{"elements":[{"name":"a","cold":true,"list":["b"]}]}`
	updated := `{"elements":[{"name":"a"}]}`
	changes, err := schemaFor[config](t).DiffRaw([]byte(old), []byte(updated))
	require.NoError(t, err)
	require.Equal(t, []string{"elements[name=a].cold", "elements[name=a].list[0]"}, []string{changes[0].Path, changes[1].Path})
	require.Len(t, changes.Of(hotupdate.Hot), 2, "cold elements are ignored, and this one is hot now")
}
