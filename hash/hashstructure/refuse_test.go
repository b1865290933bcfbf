package hashstructure_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	upstream "github.com/mitchellh/hashstructure/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hash/hashstructure"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// carrier carries any value through Split, which does not look into a type that copies itself.
type carrier struct{ V any }

func (c carrier) MarshalText() ([]byte, error) { return []byte("carried"), nil }
func (c carrier) DeepCopy() carrier            { return c }

type carrying struct {
	Free   carrier            `json:"free"`
	Any    any                `json:"any,omitempty"`
	When   *metav1.Time       `json:"when,omitempty"`
	Word   words              `json:"word,omitempty"   hash:"string"`
	Hidden map[string]carrier `json:"hidden,omitempty" hotupdatable:"false,sensitive=keys"`
}

type words []string

func (w words) String() string { return strings.Join(w, " ") }

func carry(v any) *carrying { return &carrying{Free: carrier{v}, When: &metav1.Time{}} }

// Values that hashstructure does not survive, or that it refuses.

func cyclicPointer() any {
	var v any
	v = &v
	return v
}

func cyclicMap() any {
	m := map[string]any{"a": 1}
	m["m"] = m
	return m
}

func cyclicSlice() any {
	s := []any{1, nil}
	s[1] = s
	return s
}

type link struct {
	Next *link `json:"next,omitempty"`
	To   any   `json:"to,omitempty"`
}

func ring() any {
	l := &link{Next: &link{}}
	l.Next.Next = l
	return l
}

func chain(length int) *link {
	var l *link
	for range length {
		l = &link{Next: l}
	}
	return l
}

type tree struct {
	A    int
	Kids [1]leafs
}

type leafs struct{ Up *tree }

type failing struct{}

func (failing) Hash() (uint64, error) { return 0, errSecret }

type panicking struct{ V int }

func (panicking) HashInclude(string, any) (bool, error) { panic("secret") }

type choosy struct {
	M map[string]int
}

func (choosy) HashIncludeMap(string, any, any) (bool, error) { return false, errSecret }

// partial leaves out what hashstructure could not hash.
type partial struct {
	C chan int
	M map[string]any
	N int
}

func (partial) HashInclude(field string, _ any) (bool, error) { return field != "C", nil }

func (partial) HashIncludeMap(_ string, k, _ any) (bool, error) { return k != "chan", nil }

// digest hashes itself, by a method of the pointer.
type digest struct{ C chan int }

func (*digest) Hash() (uint64, error) { return 7, nil }

type tagged struct {
	Ignored chan int `hash:"ignore"`
	Dashed  chan int `hash:"-"`
	Text    words    `hash:"string"`
	Silent  chan int `other:"ignore"`
	inner   chan int
}

type avoided struct {
	Ignored any `hash:"ignore"`
	Dashed  any `hash:"-"`
}

type mute struct {
	N int `hash:"string"`
}

var errSecret = errors.New("secret")

func codeAndPath(err error) []string {
	var all []string
	var walk func(err error)
	walk = func(err error) {
		var problem *fault.Error
		var schema *fault.Error
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				walk(e)
			}
			return
		}
		switch {
		case errors.As(err, &problem):
			all = append(all, problem.Code+" "+problem.Path)
		case errors.As(err, &schema):
			all = append(all, "hotupdate."+schema.Code+" "+schema.Path)
		}
	}
	walk(err)
	return all
}

func TestRefused(t *testing.T) {
	s, err := hotupdate.SchemaOf[carrying]()
	require.NoError(t, err)
	zeroNil := hashstructure.Options{ZeroNil: true}
	number := 5
	inner := &number
	for _, tc := range []struct {
		name    string
		config  *carrying
		options hashstructure.Options
		want    []string
		reason  string
	}{
		{
			"interface that holds itself", carry(cyclicPointer()),
			hashstructure.Options{},
			[]string{"too-deep free"},
			"hashstructure loops for ever",
		},
		{
			"map that holds itself", carry(cyclicMap()),
			hashstructure.Options{},
			[]string{"too-deep free"},
			"hashstructure overflows the stack",
		},
		{
			"slice that holds itself", carry(cyclicSlice()),
			hashstructure.Options{},
			[]string{"too-deep free"},
			"hashstructure overflows the stack",
		},
		{"pointers in a ring", carry(ring()), hashstructure.Options{}, []string{"too-deep free"}, "hashstructure overflows the stack"},
		{"nested 1,001 levels", carry(chain(1001)), hashstructure.Options{}, []string{"too-deep free"}, "the limit of the other packages"},
		{"cycle that Split sees", &carrying{Any: cyclicMap()}, hashstructure.Options{}, []string{"too-deep any"}, "it cannot be copied"},
		{
			"zero value within itself", carry(link{}), zeroNil,
			[]string{"too-deep free"},
			"hashstructure overflows the stack: the zero link has a nil next",
		},
		{"zero value within itself, by way of others", carry(tree{}), zeroNil, []string{"too-deep free"}, "as above"},
		{"uintptr", carry([]uintptr{1}), hashstructure.Options{}, []string{"not-hashable "}, "encoding/binary does not write it"},
		{"chan", carry(make(chan int)), hashstructure.Options{}, []string{"not-hashable "}, "no kind of hashstructure's"},
		{"func", carry(func() {}), hashstructure.Options{}, []string{"not-hashable "}, "no kind of hashstructure's"},
		{"complex128", carry([]complex128{1}), hashstructure.Options{}, []string{"not-hashable "}, "complex64 works, complex128 does not"},
		{
			"unsafe pointer", carry(reflect.ValueOf(inner).UnsafePointer()),
			hashstructure.Options{},
			[]string{"not-hashable "},
			"no kind of hashstructure's",
		},
		{
			"chan that Split sees", &carrying{Any: make(chan int)},
			hashstructure.Options{},
			[]string{"not-copyable any"},
			"it cannot be copied",
		},
		{
			"nil pointer to a pointer", carry(struct{ P **int }{}), zeroNil,
			[]string{"not-hashable "},
			"the zero value is a nil pointer, which hashstructure does not follow again",
		},
		{"nil pointer to an interface", carry(struct{ P *any }{}), zeroNil, []string{"not-hashable "}, "as above"},
		{
			"nil interface behind a pointer", carry(struct{ P *any }{new(any)}), zeroNil,
			[]string{"not-hashable "},
			"ZeroNil remembers the pointer's type",
		},
		{"text of what has none", carry(mute{}), hashstructure.Options{}, []string{"not-hashable "}, "as hashstructure says"},
		{
			"String on a nil pointer", &carrying{},
			hashstructure.Options{UseStringer: true},
			[]string{"not-hashable "},
			"metav1.Time has String on the value, and hashstructure panics",
		},
		{"Hash fails", carry(failing{}), hashstructure.Options{}, []string{"not-hashable "}, "a method's error has no path"},
		{"HashInclude panics", carry(panicking{}), hashstructure.Options{}, []string{"not-hashable "}, "input never panics"},
		{
			"HashIncludeMap fails", carry(choosy{map[string]int{"k": 1}}),
			hashstructure.Options{},
			[]string{"not-hashable "},
			"a method's error has no path",
		},
		{
			"offset beyond 32,767 minutes", carry(time.Unix(0, 0).In(time.FixedZone("far", 1<<30))),
			hashstructure.Options{},
			[]string{"not-hashable "},
			"its binary form has 16 bits",
		},
		{
			"hidden keys", &carrying{Hidden: map[string]carrier{"secret": {cyclicMap()}}},
			hashstructure.Options{},
			[]string{"too-deep hidden"},
			"keys may be secret",
		},
		{
			"keys of other types", carry(map[any]any{true: ring(), nil: 1, 2: "a"}),
			hashstructure.Options{},
			[]string{"too-deep free"},
			"they are called by their type",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := hashstructure.Of(s, tc.config, tc.options)
			assert.Equal(t, tc.want, codeAndPath(err), tc.reason)
			assert.NotContains(t, fmt.Sprint(err), "secret", "values are not shown")
		})
	}
}

// TestRefusedFields has types that a Schema accepts and hashstructure does not.
func TestRefusedFields(t *testing.T) {
	type disk struct {
		Address uintptr `json:"address,omitempty"`
		Size    **int   `json:"size,omitempty"`
		Mirror  *disk   `json:"mirror,omitempty"`
	}
	type config struct {
		Disk *disk `json:"disk,omitempty"`
	}
	s, err := hotupdate.SchemaOf[config]()
	require.NoError(t, err)
	for _, tc := range []struct {
		name    string
		options hashstructure.Options
		want    []string
		reason  string
	}{
		{"plain", hashstructure.Options{}, []string{"not-hashable "}, "encoding/binary does not write uintptr, not even zero"},
		{"Karpenter", hashstructure.Karpenter(), nil, "zero values are left out"},
		{"ZeroNil", hashstructure.Options{ZeroNil: true}, []string{"too-deep disk"}, "a nil mirror is a disk without a mirror, and so on"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := hashstructure.Of(s, &config{&disk{}}, tc.options)
			assert.Equal(t, tc.want, codeAndPath(err), tc.reason)
		})
	}
}

// TestOverridesHideKeys: an override hides keys like a struct tag.
func TestOverridesHideKeys(t *testing.T) {
	type server struct {
		Size string `json:"size,omitempty"`
		Tags string `json:"tags,omitempty" hotupdatable:"true"`
	}
	type config struct {
		Free    map[string]carrier `json:"free,omitempty"`
		Any     carrier            `json:"any"`
		Servers map[string]server  `json:"servers,omitempty"`
	}
	for _, tc := range []struct {
		name, path string
		config     config
		want       []string
	}{
		{"map", "free", config{Free: map[string]carrier{"hunter2": {ring()}}}, []string{"too-deep free"}},
		{"map above", "free", config{Free: map[string]carrier{"hunter2": {map[string]any{"hunter3": ring()}}}}, []string{"too-deep free"}},
		{"leaf above", "any", config{Any: carrier{map[string]any{"hunter2": ring()}}}, []string{"too-deep any"}},
		{"hot and other parts", "servers", config{Servers: map[string]server{"hunter2": {"large", "a"}}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := hotupdate.SchemaOf[config](hotupdate.WithTag(tc.path, "false,sensitive=keys"))
			require.NoError(t, err)
			_, err = hashstructure.Of(s, &tc.config, hashstructure.Options{})
			assert.Equal(t, tc.want, codeAndPath(err))
			assert.NotContains(t, fmt.Sprint(err), "hunter")
		})
	}
}

func TestNotRefused(t *testing.T) {
	s, err := hotupdate.SchemaOf[carrying]()
	require.NoError(t, err)
	karpenter := hashstructure.Karpenter()
	twin := &link{}
	for _, tc := range []struct {
		name    string
		value   any
		options hashstructure.Options
		reason  string
	}{
		{"nested 999 levels below two", chain(999), hashstructure.Options{}, "the limit is 1,000"},
		{"zero value within itself is left out", link{}, karpenter, "IgnoreZeroValue comes before ZeroNil"},
		{"nil elements of a recursive type", []*link{nil}, karpenter, "as above"},
		{"the same value twice, side by side", []*link{twin, twin}, hashstructure.Options{}, "no cycle"},
		{"cycles left out by struct tags", avoided{ring(), ring()}, hashstructure.Options{}, "hashstructure does not look there"},
		{"a slice of a slice's own memory", overlapping(), hashstructure.Options{}, "no cycle: the inner one is shorter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			config := carry(tc.value)
			want, err := direct(config, tc.options)
			require.NoError(t, err)
			got, err := hashstructure.Of(s, config, tc.options)
			require.NoError(t, err, tc.reason)
			assert.Equal(t, want, got, tc.reason)
		})
	}
}

func overlapping() any {
	s := make([]any, 2)
	s[0] = s[1:]
	return s
}

func TestErrorsKeepTheCause(t *testing.T) {
	s, err := hotupdate.SchemaOf[carrying]()
	require.NoError(t, err)
	_, err = hashstructure.Of(s, carry(failing{}), hashstructure.Options{})
	require.ErrorIs(t, err, errSecret)
	assert.NotContains(t, err.Error(), errSecret.Error(), "what a method says may quote a value")
	_, err = hashstructure.Of[carrying](nil, nil, hashstructure.Options{})
	assert.Equal(t, []string{"no-schema "}, codeAndPath(err))
}

// TestPropertyRefusedExactlyIfHashstructureFails compares the check with hashstructure itself, for values for which that terminates.
func TestPropertyRefusedExactlyIfHashstructureFails(t *testing.T) {
	s, err := hotupdate.SchemaOf[carrying]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		config := carry(drawAny(t, 3))
		options := drawOptions(t)
		want, failed := survived(config, options)
		got, err := hashstructure.Of(s, config, options)
		require.Equal(t, failed, err != nil, "hashstructure: %v, Of: %v", failed, err)
		require.Equal(t, want, got)
	})
}

// survived calls hashstructure and reports a panic as a failure.
func survived(v any, o hashstructure.Options) (sum uint64, failed bool) {
	defer func() { failed = failed || recover() != nil }()
	sum, err := direct(v, o)
	return sum, err != nil
}

func drawAny(t *rapid.T, depth int) any {
	leaves := []any{
		nil, true, 1, int8(1), uint16(2), uintptr(3), uintptr(0), float32(1), complex64(1), complex128(1), "s",
		words{"w"},
		time.Unix(0, 0).UTC(),
		time.Unix(0, 0).In(time.FixedZone("far", 1<<30)),
		metav1.Duration{Duration: 1},
		(*int)(nil), (**int)(nil), (*any)(nil), new(any), new(*int),
		(*words)(nil), (*metav1.Time)(nil), (chan int)(nil), make(chan int), func() {}, []byte("ab"),
		failing{},
		panicking{V: 1},
		panicking{},
		choosy{},
		choosy{map[string]int{"k": 1}},
		partial{C: make(chan int)},
		tagged{},
		tagged{Silent: make(chan int)},
		mute{},
		&digest{},
		digest{make(chan int)},
		[]uintptr{},
		[]uintptr{1},
		map[chan int]int{nil: 1},
		[1]chan int{},
	}
	if depth == 0 {
		return draw(t, "leaf", leaves...)
	}
	below := func() any { return drawAny(t, depth-1) }
	switch draw(t, "shape", "leaf", "pointer", "slice", "map", "struct", "partial", "fields") {
	case "pointer":
		v := below()
		return &v
	case "slice":
		return []any{below(), below()}
	case "map":
		return map[string]any{"a": below(), "chan": below()}
	case "struct":
		return struct{ V, W any }{below(), below()}
	case "partial":
		return partial{M: map[string]any{"a": below(), "chan": below()}}
	case "fields":
		return struct {
			S fmt.Stringer `hash:"string"`
			T *metav1.Time
			I any   `hash:"ignore"`
			J any   `hash:"string"`
			K []any `hash:"set"`
		}{S: draw[fmt.Stringer](t, "stringer", nil, words{}, &metav1.Duration{}), I: below(), J: below(), K: []any{below()}}
	default:
		return draw(t, "leaf", leaves...)
	}
}

var _ upstream.Includable = partial{}
