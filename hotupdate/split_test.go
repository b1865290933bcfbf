package hotupdate_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func (s subject) split(t require.TestingT, config reflect.Value) (immutable, hot reflect.Value) {
	kept, rest, err := s.schema.SplitAny(config.Interface())
	require.NoError(t, err, "%s", s.describe(config))
	return reflect.ValueOf(kept), reflect.ValueOf(rest)
}

func (s subject) merge(t require.TestingT, immutable, hot reflect.Value) reflect.Value {
	merged, err := s.schema.MergeAny(immutable.Interface(), hot.Interface())
	require.NoError(t, err, "%s", s.describe(immutable, hot))
	return reflect.ValueOf(merged)
}

// TestMergeInvertsSplit: merging the halves of a configuration gives the same JSON, and the same meaning. Only a pointer to a nil pointer,
// which is null in JSON, may become a nil one, which may be left out.
func TestMergeInvertsSplit(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		immutable, hot := s.split(t, config)
		merged := s.merge(t, immutable, hot)
		if !strings.Contains(s.root.typ.String(), "**") {
			require.Equal(t, string(toJSON(t, config)), string(toJSON(t, merged)), "%s", s.describe(config, immutable, hot))
		}
		require.Equal(t, fullView.document(s.root, config), fullView.document(s.root, merged), "%s", s.describe(config, immutable, hot))
		require.Empty(t, s.diff(t, config, merged), "%s", s.describe(config, immutable, hot))
	})
}

// TestHalvesHoldTheirClasses: the immutable half has the document of the whole and nothing hot; the hot half has
// nothing hashed except the places of elements.
func TestHalvesHoldTheirClasses(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		immutable, hot := s.split(t, config)
		require.Equal(t, s.document(t, config), s.document(t, immutable), "%s", s.describe(config, immutable))
		requireOnly(t, s, immutable, hashView.sees)
		requireOnly(t, s, hot, dropped)
	})
}

// requireOnly checks that leaves of other classes are not set, except keys and selectors.
func requireOnly(t require.TestingT, s subject, half reflect.Value, allowed func(hotupdate.Class) bool) {
	visitMembers(s.root, half.Elem(), nil, func(m modelNode, v reflect.Value, identity bool) {
		if m.shape() == leafShape && !allowed(m.class) && !identity {
			require.True(t, v.IsZero(), "%s is set in %s", m.path, s.describe(half))
		}
	})
}

// visitMembers calls visit with every member of every object in a value. The collection that the value is an element of names the
// members that identify it.
func visitMembers(p modelNode, v reflect.Value, in *modelNode, visit func(m modelNode, v reflect.Value, identity bool)) {
	if v = behind(v); !v.IsValid() {
		return
	}
	switch p.shape() {
	case objectShape:
		for _, m := range p.members() {
			if field := m.of(v); field.IsValid() {
				visit(m, field, in != nil && (m.name == in.key || m.name == in.when))
				visitMembers(m, field, nil, visit)
			}
		}
	case listShape, arrayShape:
		for i := range v.Len() {
			visitMembers(p.elemOf(v.Index(i)), v.Index(i), &p, visit)
		}
	case mapShape:
		for key, elem := range v.Seq2() {
			visitMembers(p.entryOf(key, elem), elem, &p, visit)
		}
	case leafShape:
	}
}

// TestHalvesHaveTheSameElements: lists, arrays and maps that are in both halves have the same length and keys in both.
func TestHalvesHaveTheSameElements(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		immutable, hot := s.split(t, config)
		requireSameElements(t, s.root, config, immutable, hot)
	})
}

// requireSameElements compares the collections of a configuration with those of its halves, wherever both halves have them.
func requireSameElements(t require.TestingT, p modelNode, whole, immutable, hot reflect.Value) {
	whole = behind(whole)
	immutable = behind(immutable)
	hot = behind(hot)
	if !whole.IsValid() || !immutable.IsValid() || !hot.IsValid() {
		return
	}
	switch p.shape() {
	case objectShape:
		for _, m := range p.members() {
			if w, i, h := m.of(whole), m.of(immutable), m.of(hot); w.IsValid() && i.IsValid() && h.IsValid() {
				requireSameElements(t, m, w, i, h)
			}
		}
	case listShape, arrayShape:
		if immutable.Len() == 0 || hot.Len() == 0 {
			return
		}
		require.Equal(t, []int{whole.Len(), whole.Len()}, []int{immutable.Len(), hot.Len()}, p.path)
		for i := range whole.Len() {
			requireSameElements(t, p.elem(), whole.Index(i), immutable.Index(i), hot.Index(i))
		}
	case mapShape:
		if immutable.Len() == 0 || hot.Len() == 0 {
			return
		}
		for _, half := range []reflect.Value{immutable, hot} {
			for key := range half.Seq2() {
				require.True(t, whole.MapIndex(key).IsValid(), p.path)
			}
		}
		for key, elem := range whole.Seq2() {
			i := immutable.MapIndex(key)
			h := hot.MapIndex(key)
			if e := p.entryOf(key, elem); p.keyRules() != nil && e.shape() == leafShape { // it is in one half
				require.Equal(t, []bool{!dropped(e.class), dropped(e.class)}, []bool{i.IsValid(), h.IsValid()}, p.path)
				continue
			}
			inBoth := i.IsValid() && h.IsValid()
			inOne := i.IsValid() || h.IsValid()
			require.True(t, inBoth || p.keyRules() != nil && inOne, p.path)
			requireSameElements(t, p.elem(), elem, i, h)
		}
	case leafShape:
	}
}

// TestHalvesShareNoMemory: changing a configuration after Split does not change its halves, and changing the halves
// after Merge does not change the result.
func TestHalvesShareNoMemory(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		config := s.draw(t)
		immutable, hot := s.split(t, config)
		requireDisjoint(t, s, map[string]reflect.Value{"config": config, "immutable half": immutable, "hot half": hot})
		before := [2]string{string(toJSON(t, immutable)), string(toJSON(t, hot))}
		scribble(config)
		require.Equal(t, before, [2]string{string(toJSON(t, immutable)), string(toJSON(t, hot))}, "%s", s.describe())
		merged := s.merge(t, immutable, hot)
		requireDisjoint(t, s, map[string]reflect.Value{"merged": merged, "immutable half": immutable, "hot half": hot})
		written := string(toJSON(t, merged))
		scribble(immutable)
		scribble(hot)
		require.Equal(t, written, string(toJSON(t, merged)), "%s", s.describe())
	})
}

// requireDisjoint checks that no two values reach the same memory.
func requireDisjoint(t require.TestingT, s subject, values map[string]reflect.Value) {
	owner := map[uintptr]string{}
	for name, v := range values {
		for at := range reachable(v) {
			require.Empty(t, owner[at], "%s shares memory with it: %s", name, s.describe(v))
			owner[at] = name
		}
	}
}

// reachable collects the addresses of everything that can be changed through a value, unexported parts included.
func reachable(v reflect.Value) map[uintptr]bool {
	found := map[uintptr]bool{}
	collectReachable(found, v)
	return found
}

func collectReachable(found map[uintptr]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().Size() == 0 || v.Type() == reflect.TypeFor[*time.Location]() {
			return
		}
		found[v.Pointer()] = true
		collectReachable(found, v.Elem())
	case reflect.Interface:
		collectReachable(found, v.Elem())
	case reflect.Map:
		if !v.IsNil() {
			found[v.Pointer()] = true
			for _, elem := range v.Seq2() {
				collectReachable(found, elem)
			}
		}
	case reflect.Slice:
		if v.Cap() > 0 && v.Type().Elem().Size() > 0 {
			found[v.Pointer()] = true
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			collectReachable(found, v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			collectReachable(found, field)
		}
	default:
	}
}

// scribble overwrites everything that can be reached through a pointer and is exported.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Interface:
		scribble(v.Elem())
	case reflect.Map:
		for key, elem := range v.Seq2() {
			scribble(elem)
			v.SetMapIndex(key, reflect.Zero(elem.Type()))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	default:
		if v.CanSet() {
			v.Set(reflect.Zero(v.Type()))
		}
	}
}

// TestMergeAppliesHotUpdate: merging the immutable half of one configuration with the hot half of another that differs
// only in hot parts has the meaning of the other, unless their collections differ. Elements of one key are found by
// their order, so they must have one class.
func TestMergeAppliesHotUpdate(t *testing.T) {
	check(t, func(t *rapid.T, s subject) {
		s.root.by.keys = uniqueIfMixed
		old := s.draw(t)
		updated := respelled(t, hashView, s.root, old)
		immutable, _ := s.split(t, old)
		_, hot := s.split(t, updated)
		merged, err := s.schema.MergeAny(immutable.Interface(), hot.Interface())
		if err != nil {
			for _, problem := range fault.All(err) {
				require.Equal(t, "halves-differ", problem.Code, "%v", err)
			}
			return
		}
		require.Empty(t, s.diff(t, updated, reflect.ValueOf(merged)), "%s", s.describe(old, updated, reflect.ValueOf(merged)))
	})
}

// TestMergeTakesNullOfHotHalf: with the option presence, the hot half decides whether a hot list is present, although
// it may have Immutable fields.
func TestMergeTakesNullOfHotHalf(t *testing.T) {
	type element struct {
		Name string `json:"name"`
		Size int    `json:"size" hotupdatable:"false"`
	}
	type config struct {
		List *[]element `json:"list" hotupdatable:"true,key=name,presence"`
	}
	s := schemaFor[config](t)
	for _, hot := range []*config{{}, {List: new([]element)}, {List: &[]element{}}} {
		immutable, _, err := hotupdate.Split(s, &config{List: &[]element{}})
		require.NoError(t, err)
		merged, err := hotupdate.Merge(s, immutable, hot)
		require.NoError(t, err)
		changes, err := s.Diff(hot, merged)
		require.NoError(t, err)
		require.Empty(t, changes)
	}
}

// TestMergeRefusesFlips: if hotwhen makes an element hot only in one half, the halves are from two configurations.
func TestMergeRefusesFlips(t *testing.T) {
	type element struct {
		Name string `json:"name"`
		Hot  bool   `json:"hot"`
		Tag  string `json:"tag"`
	}
	type config struct {
		Elements []element `json:"elements" hotupdatable:"false,key=name,hotwhen=hot:true"`
	}
	_, err := hotupdate.Merge(
		schemaFor[config](t), &config{[]element{{Name: "a", Tag: "b"}}}, &config{[]element{{Name: "a", Hot: true, Tag: "c"}}},
	)
	require.Len(t, fault.All(err), 1)
	require.Equal(t, "halves-differ", fault.All(err)[0].Code)
	require.Equal(t, "elements[name=a]", fault.All(err)[0].Path)
}

// TestMergeOfNilMaps: a pointer to a nil map says no more than a nil pointer. It counts as the default, of which each
// half then has nothing.
func TestMergeOfNilMaps(t *testing.T) {
	type config struct {
		Labels *map[string]struct{} `json:"labels" hotupdatable:"false,keyclass=true:'a',default='{\"a\":{},\"b\":{}}'"`
	}
	schema := schemaFor[config](t)
	for name, labels := range map[string]*map[string]struct{}{"nil pointer": nil, "nil map": new(map[string]struct{})} {
		immutable, hot, err := schema.SplitAny(&config{labels})
		require.NoError(t, err, name)
		merged, err := schema.MergeAny(immutable, hot)
		require.NoError(t, err, name)
		require.Equal(t, &config{labels}, merged, name)
	}
}
