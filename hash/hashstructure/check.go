package hashstructure

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mitchellh/hashstructure/v2"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/engine"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// check walks the projection as hashstructure does and reports what hashstructure would fail, loop or crash on.
func check(s *hotupdate.Schema, projection any, options Options) error {
	v := reflect.ValueOf(projection)
	c := &checker{trail: trail{schema: s, typ: v.Type()}, options: options}
	c.value(v, owner{})
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

// owner is the struct and field that a map stands in. It may decide which entries are hashed.
type owner struct {
	object any
	field  string
}

// reportType records a problem of a value's type.
func (c *checker) reportType(problem *fault.Error, typ reflect.Type) {
	problem.Type = typ.String()
	problem.What = "the type " + problem.Type + " " + problem.What
	c.Report(problem)
}

func methodFailed(cause error) *fault.Error {
	return &fault.Error{Kind: fault.Failed, Code: "method-failed", What: "has a method that failed", Hint: "correct the method or the value", Cause: cause}
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
	c.reportType(problem, p.typ)
	return false
}

func (c *checker) value(v reflect.Value, in owner) {
	if c.lost {
		return
	}
	defer func(above int) { c.above = c.above[:above] }(len(c.above))
	if v, ok := c.behind(v); ok {
		c.byKind(v, in)
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

func (c *checker) byKind(v reflect.Value, in owner) {
	if isScalar(v.Kind()) {
		return
	}
	if at, ok := reflect.TypeAssert[time.Time](v); ok {
		if _, err := at.MarshalBinary(); err != nil {
			c.Report(&fault.Error{Kind: fault.Limit, Code: "invalid-time", What: "has a zone offset that cannot be written", Hint: "correct the time, or use UTC", Cause: err})
		}
		return
	}
	if c.depth > engine.MaxDepth {
		c.lost = true
		c.Report(&fault.Error{Kind: fault.Limit, Code: "too-deep", What: "is nested too deeply", Hint: "flatten the value"})
		return
	}
	c.depth++
	switch v.Kind() {
	case reflect.Struct:
		c.object(v)
	case reflect.Map:
		c.entries(v, in)
	case reflect.Array, reflect.Slice:
		c.elements(v)
	default:
		c.reportType(&fault.Error{Kind: fault.Unsupported, Code: "unsupported-value", What: "has no bytes to hash", Hint: "use a type that JSON can carry"}, v.Type())
	}
	c.depth--
}

// isScalar reports whether hashstructure writes values of kind k as a fixed number of bytes, or as text.
func isScalar(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex64 && k != reflect.Uintptr || k == reflect.String
}

func (c *checker) elements(v reflect.Value) {
	if isScalar(v.Type().Elem().Kind()) || v.Len() == 0 {
		return
	}
	if v.Kind() == reflect.Slice && !c.enter(visit{typ: v.Type(), at: v.Pointer(), size: v.Len()}) {
		return
	}
	for i := range v.Len() {
		c.in(index(i), func() { c.value(v.Index(i), owner{}) })
	}
}

func (c *checker) entries(v reflect.Value, in owner) {
	if v.Len() == 0 || !c.enter(visit{typ: v.Type(), at: v.Pointer()}) {
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(c.keyStep(a).Name, c.keyStep(b).Name) })
	for _, key := range keys {
		c.in(c.keyStep(key), func() { c.entry(key, v.MapIndex(key), in) })
	}
}

func (c *checker) entry(key, value reflect.Value, in owner) {
	if chooser, ok := in.object.(hashstructure.IncludableMap); ok && !c.includes(func() (bool, error) {
		return chooser.HashIncludeMap(in.field, key.Interface(), value.Interface())
	}) {
		return
	}
	c.value(key, owner{})
	c.value(value, owner{})
}

func (c *checker) object(v reflect.Value) {
	chooser, hasher := methods(v)
	if hasher != nil {
		c.includes(func() (bool, error) { _, err := hasher.Hash(); return true, err })
		return
	}
	object := v.Interface()
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		if c.isHashed(sf, v.Field(i)) {
			c.inField(sf, func() { c.field(sf, v.Field(i), chooser, object) })
		}
	}
}

// methods returns the hooks of a struct: a Hash on the value comes first, and hooks on the pointer count if the value has an address.
func methods(v reflect.Value) (chooser hashstructure.Includable, hasher hashstructure.Hashable) {
	object := v.Interface()
	chooser, _ = object.(hashstructure.Includable)
	hasher, _ = object.(hashstructure.Hashable)
	if hasher != nil || !v.CanAddr() {
		return chooser, hasher
	}
	pointer := v.Addr().Interface()
	if better, ok := pointer.(hashstructure.Includable); ok {
		chooser = better
	}
	hasher, _ = pointer.(hashstructure.Hashable)
	return chooser, hasher
}

func (c *checker) isHashed(sf reflect.StructField, v reflect.Value) bool {
	tag := sf.Tag.Get(c.options.tagName())
	return sf.IsExported() && tag != "ignore" && tag != "-" && (!c.options.IgnoreZeroValue || !v.IsZero())
}

func (c *checker) field(sf reflect.StructField, v reflect.Value, chooser hashstructure.Includable, object any) {
	v, ok := c.text(sf, v)
	if ok && (chooser == nil || c.includes(func() (bool, error) { return chooser.HashInclude(sf.Name, v) })) {
		c.value(v, owner{object, sf.Name})
	}
}

// text replaces a field by its text where the options or the struct tag say so.
func (c *checker) text(sf reflect.StructField, v reflect.Value) (reflect.Value, bool) {
	demanded := sf.Tag.Get(c.options.tagName()) == "string"
	if !demanded && !c.options.UseStringer {
		return v, true
	}
	stringer, ok := reflect.TypeAssert[fmt.Stringer](v)
	switch {
	case ok:
		var text string
		ok = c.includes(func() (bool, error) { text = stringer.String(); return true, nil })
		return reflect.ValueOf(text), ok
	case demanded:
		c.reportType(&fault.Error{
			Kind: fault.Declaration, Code: "not-stringer", What: "has no method String on the value, which the struct tag `string` asks for",
			Hint: "remove `string`, or use a pointer if only that has the method",
		}, v.Type())
	}
	return v, !demanded
}

// includes runs a method of the configuration, which may fail in any way. It is false then, too.
func (c *checker) includes(method func() (bool, error)) (included bool) {
	_, problem := leaf.Call(func() (_ []byte, err error) {
		included, err = method()
		return nil, err
	})
	if problem != nil {
		c.Report(methodFailed(problem.Cause))
	}
	return included && problem == nil
}
