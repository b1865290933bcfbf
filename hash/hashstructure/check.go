package hashstructure

import (
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
)

// check reports what hashstructure would not survive: a value that contains itself, or is nested too deeply. It enters what methods would leave
// out, too.
func check(s *hotupdate.Schema, projection any, options Options) error {
	v := reflect.ValueOf(projection)
	c := &checker{trail: trail{schema: s, typ: v.Type()}, options: options}
	c.value(v)
	return c.Err()
}

type checker struct {
	trail

	options Options
	depth   int
	above   []visit
	lost    bool // the value contains itself or is too deep; going on could take for ever
}

// visit identifies a value that the walk stands in by its memory, or, with at 0, the zero value that stands for a nil pointer.
type visit struct {
	typ  reflect.Type
	at   uintptr
	size int
}

// enter records that the walk goes into p. It is false, and the walk ends, where p stands above itself.
func (c *checker) enter(p visit) bool {
	if !slices.Contains(c.above, p) {
		c.above = append(c.above, p)
		return true
	}
	c.lost = true
	problem := &fault.Error{Kind: fault.Unsupported, Code: "pointer-cycle", What: "contains itself", Hint: "remove the cycle"}
	if p.at == 0 {
		problem = &fault.Error{
			Kind: fault.Unsupported, Code: "endless-zero", What: "has a zero value that contains itself under ZeroNil",
			Hint: "set IgnoreZeroValue as well, or leave ZeroNil out",
		}
	}
	problem.Type = p.typ.String()
	c.Report(problem)
	return false
}

func (c *checker) value(v reflect.Value) {
	if c.lost {
		return
	}
	defer func(above int) { c.above = c.above[:above] }(len(c.above))
	if v, ok := c.behind(v); ok {
		c.depth++
		c.below(v)
		c.depth--
	}
}

// behind follows pointers and interfaces. Nil is the integer 0, or with ZeroNil the zero value of the last pointer's element type.
func (c *checker) behind(v reflect.Value) (reflect.Value, bool) {
	zero := reflect.TypeFor[int]()
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.Kind() == reflect.Pointer {
			if c.options.ZeroNil {
				zero = v.Type().Elem()
			}
			if !v.IsNil() && !c.enter(visit{typ: v.Type(), at: v.Pointer()}) {
				return v, false
			}
		}
		v = v.Elem()
	}
	if v.IsValid() {
		return v, true
	}
	return reflect.Zero(zero), c.enter(visit{typ: zero})
}

func (c *checker) below(v reflect.Value) {
	switch k := v.Kind(); {
	case k != reflect.Struct && k != reflect.Map && k != reflect.Slice && k != reflect.Array:
	case c.depth > engine.MaxDepth+1:
		c.lost = true
		c.Report(&fault.Error{Kind: fault.Limit, Code: "too-deep", What: "is nested too deeply", Hint: "flatten the value"})
	case k == reflect.Struct:
		c.object(v)
	case k == reflect.Map:
		c.entries(v)
	default:
		c.elements(v)
	}
}

func (c *checker) elements(v reflect.Value) {
	if k := v.Type().Elem().Kind(); k <= reflect.Complex128 || k == reflect.String || v.Len() == 0 {
		return
	}
	if v.Kind() == reflect.Slice && !c.enter(visit{typ: v.Type(), at: v.Pointer(), size: v.Len()}) {
		return
	}
	for i := range v.Len() {
		c.in(index(i), func() { c.value(v.Index(i)) })
	}
}

func (c *checker) entries(v reflect.Value) {
	if v.Len() == 0 || !c.enter(visit{typ: v.Type(), at: v.Pointer()}) {
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(c.keyStep(a).Name, c.keyStep(b).Name) })
	for _, key := range keys {
		c.in(c.keyStep(key), func() {
			c.value(key)
			c.value(v.MapIndex(key))
		})
	}
}

func (c *checker) object(v reflect.Value) {
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		tag := sf.Tag.Get(c.options.tagName())
		if sf.IsExported() && tag != "ignore" && tag != "-" && (!c.options.IgnoreZeroValue || !v.Field(i).IsZero()) {
			c.inField(sf, func() { c.value(v.Field(i)) })
		}
	}
}
