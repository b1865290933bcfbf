package hotupdate_test

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// view is the oracle: the meaning of a configuration in some classes, this one and the stricter ones. It projects a
// value to a plain tree of nil, bool, text, number, []any and map[string]any, by the text of the design and of package
// hash. Two configurations have the same meaning in these classes if their trees are equal.
//
// The hash covers the inPlaceView. The other views decide how strict a difference is.
type view hotupdate.Class

const (
	immutableView = view(hotupdate.Immutable)
	hashView      = view(hotupdate.InPlace)
	hotView       = view(hotupdate.Hot)
	fullView      = view(hotupdate.Ignored)
	blind         = view(255) // sees nothing
)

func (w view) sees(c hotupdate.Class) bool { return w != blind && c <= hotupdate.Class(w) }

// number is the exact value of a JSON number.
type number struct{ value string }

// text is a JSON string.
type text string

// document returns the tree of a configuration, given as a pointer or a value.
func (w view) document(root modelNode, config reflect.Value) map[string]any {
	if config = behind(config); !config.IsValid() {
		return map[string]any{}
	}
	return w.object(root, config)
}

// object lists the present members of a struct.
func (w view) object(p modelNode, v reflect.Value) map[string]any {
	tree := map[string]any{}
	for _, m := range p.members() {
		if field := m.of(v); field.IsValid() {
			if t, ok := w.member(m, field); ok {
				tree[m.name] = t
			}
		}
	}
	return tree
}

// member returns the tree of a member, and whether it is present.
func (w view) member(m modelNode, field reflect.Value) (tree any, present bool) {
	v := behind(field)
	if !v.IsValid() {
		return nil, false
	}
	if m.fallback != nil && m.shape() != leafShape {
		return w.filledMember(m, v)
	}
	switch m.shape() {
	case leafShape:
		return w.leafMember(m, v)
	case objectShape:
		object := w.object(m, v)
		marked := m.presence || m.typ.Kind() == reflect.Pointer && m.fieldless()
		return object, len(object) > 0 || marked && w.sees(m.class)
	case listShape:
		list := w.list(m, v)
		marked := m.presence && !v.IsNil()
		return list, len(list) > 0 || marked && w.sees(m.class)
	case arrayShape:
		array, _ := w.array(m, v)
		zero, _ := w.array(m, reflect.Zero(v.Type()))
		return array, !reflect.DeepEqual(array, zero)
	case mapShape:
		object := w.mapping(m, v)
		marked := m.presence && !v.IsNil()
		return object, len(object) > 0 || marked && w.sees(m.class)
	}
	panic("no such shape")
}

// filledMember is member for an object or collection with a default, which counts as unset. So an empty one is
// something else, if the view sees something of the default.
func (w view) filledMember(m modelNode, v reflect.Value) (tree any, present bool) {
	if isNull(v) {
		return nil, false
	}
	written := *m.fallback
	m.fallback = nil
	fallback, isFilled := w.member(m, parsed(v.Type(), written))
	tree, present = w.member(m, v)
	switch {
	case present == isFilled && (!present || reflect.DeepEqual(tree, fallback)):
		return nil, false
	case present:
		return tree, true
	case m.shape() == listShape:
		return []any{}, true
	}
	return map[string]any{}, true
}

func (w view) leafMember(m modelNode, v reflect.Value) (tree any, present bool) {
	tree = m.leafTree(v)
	isEmptySlice := v.Kind() == reflect.Slice && v.Len() == 0 && !marshals(v.Type())
	emptyIsDefault := m.fallback == nil || m.typ.Kind() != reflect.Pointer
	switch {
	case !w.sees(m.class), tree == nil:
		return nil, false
	case isEmptySlice && emptyIsDefault:
		return nil, false
	case m.typ.Kind() != reflect.Pointer && reflect.DeepEqual(tree, m.leafTree(reflect.Zero(v.Type()))):
		return nil, false
	case m.fallback != nil && reflect.DeepEqual(tree, m.leafTree(parsed(v.Type(), *m.fallback))):
		return nil, false
	}
	return tree, true
}

// list lists the elements of a slice. If the view does not include the collection, elements of a keyed list are present
// if something in them is, and other elements keep the places of later ones.
func (w view) list(p modelNode, v reflect.Value) []any {
	var list []any
	var levels []view
	full := 0
	for i := range v.Len() {
		tree, whole, something := w.element(p, v.Index(i))
		if p.key != "" && !whole && !something {
			continue
		}
		list = append(list, tree)
		if p.key != "" {
			levels = append(levels, p.levelOf(v.Index(i)))
		}
		if whole || something {
			full = len(list)
		}
	}
	list = list[:full]
	switch {
	case p.set:
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(canonical(a), canonical(b)) })
		list = slices.CompactFunc(list, reflect.DeepEqual)
	case p.key != "":
		return inKeyOrder(p.key, list, levels)
	}
	return list
}

// inKeyOrder orders elements by key, those of one key by the strictest class that has something of them, and those of
// one class as they are given.
func inKeyOrder(key string, list []any, levels []view) []any {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	keyAt := func(i int) any { return list[i].(map[string]any)[key] }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(byKey(keyAt(a), keyAt(b)), cmp.Compare(levels[a], levels[b]))
	})
	ordered := make([]any, len(list))
	for i, at := range order {
		ordered[i] = list[at]
	}
	return ordered
}

// levelOf is the strictest view that has something of an element, or its presence.
func (p modelNode) levelOf(elem reflect.Value) view {
	for _, w := range []view{immutableView, hashView, hotView} {
		if _, whole, something := w.element(p, elem); whole || something {
			return w
		}
	}
	return fullView
}

// byKey is the order of list keys: texts by their bytes, integers by value. A missing integer is nil, and comes before integers.
func byKey(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(boolToInt(a != nil), boolToInt(b != nil))
	}
	one, isNumber := a.(number)
	other, isToo := b.(number)
	if isNumber && isToo {
		return one.exact().Cmp(other.exact())
	}
	return strings.Compare(string(a.(text)), string(b.(text)))
}

func boolToInt(b bool) int { return map[bool]int{true: 1}[b] }

func (w view) array(p modelNode, v reflect.Value) (array []any, something bool) {
	array = make([]any, v.Len())
	for i := range array {
		tree, _, inside := w.element(p, v.Index(i))
		array[i] = tree
		something = something || inside
	}
	return array, something
}

// mapping lists the entries of a map. In a hot or ignored one, or under a hot or ignored key, null means that the key is absent.
func (w view) mapping(p modelNode, v reflect.Value) map[string]any {
	tree := map[string]any{}
	for key, elem := range v.Seq2() {
		e := p.entryOf(key, elem)
		isDropped := dropped(p.class)
		if p.keyRules() != nil {
			isDropped = dropped(e.class)
		}
		if isDropped && isNull(elem) {
			continue
		}
		if t, whole, something := w.elementAs(p, e, elem); whole || something {
			tree[keyText(key)] = t
		}
	}
	return tree
}

// isNull reports whether an element is null in JSON.
func isNull(elem reflect.Value) bool {
	v := behind(elem)
	switch {
	case !v.IsValid():
		return true
	case shapeOf(v.Type()) == leafShape:
		return leafTree(v) == nil
	}
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil()
}

// element returns the tree of an element of collection c. It is present if the view includes the element's class, or
// something in the element.
func (w view) element(c modelNode, elem reflect.Value) (tree any, whole, something bool) {
	return w.elementAs(c, c.elemOf(elem), elem)
}

// elementAs is element for an element whose node is known.
func (w view) elementAs(c, e modelNode, elem reflect.Value) (tree any, whole, something bool) {
	whole = w.sees(e.class)
	v := behind(elem)
	switch e.shape() {
	case objectShape:
		if !v.IsValid() {
			v = reflect.Zero(base(e.typ))
		}
		object := w.object(e, v)
		tree = object
		something = len(object) > 0
		w.identify(c, e, v, object)
	case mapShape:
		object := map[string]any{}
		if v.IsValid() {
			object = w.mapping(e, v)
		}
		tree = object
		something = len(object) > 0
	case leafShape:
		if whole && v.IsValid() {
			tree = e.leafTree(v)
		}
	case listShape:
		if v.IsValid() && !v.IsNil() {
			list := w.list(e, v)
			tree = append([]any{}, list...)
			something = len(list) > 0
		}
	case arrayShape:
		if v.IsValid() {
			tree, something = w.array(e, v)
		}
	}
	if !whole && !something {
		return nil, false, false
	}
	return tree, whole, something
}

// identify adds to an object its key, and its selector if the view includes the collection or the
// element, zero or not. A missing key is the empty text, or nil if keys are integers.
func (w view) identify(c, e modelNode, v reflect.Value, object map[string]any) {
	if c.key != "" {
		object[c.key] = nil
		if base(e.member(c.key).typ).Kind() == reflect.String {
			object[c.key] = text("")
		}
		if key := behind(e.member(c.key).of(v)); key.IsValid() {
			object[c.key] = leafTree(key)
		}
	}
	if c.when != "" && w.sees(min(c.class, e.class)) {
		object[c.when] = zeroTree(e.member(c.when), v)
	}
}

// selects reports whether hotwhen holds for an element.
func (p modelNode) selects(elem reflect.Value) bool {
	if p.when == "" {
		return false
	}
	selector := p.elem().member(p.when)
	return reflect.DeepEqual(zeroTree(selector, behind(elem)), leafTree(parsed(selector.typ, p.value)))
}

// zeroTree returns the tree of a leaf without a pointer in an object; without an object it is that of the zero value.
func zeroTree(m modelNode, object reflect.Value) any {
	if object.IsValid() {
		if field := m.of(object); field.IsValid() {
			return leafTree(field)
		}
	}
	return leafTree(reflect.Zero(m.typ))
}

// leafTree is leafTree of a node that may have the option as.
func (p modelNode) leafTree(v reflect.Value) any {
	if p.as != "" && v.Kind() == reflect.String {
		return text(meaningOf(p.as, v.String()))
	}
	return leafTree(v)
}

// meaningOf is one spelling for all texts that mean the same to the option as.
func meaningOf(as, written string) string {
	switch as {
	case "quantity":
		if q, err := resource.ParseQuantity(written); err == nil {
			plain := plainDecimal(quantityValue(q))
			if whole, decimals, _ := strings.Cut(strings.TrimPrefix(plain, "-"), "."); len(whole) <= 64 && len(decimals) <= 64 {
				return plain
			}
		}
	case "duration":
		if d, err := time.ParseDuration(written); err == nil {
			return d.String()
		}
	case "cidr":
		if _, network, err := net.ParseCIDR(written); err == nil {
			return network.String()
		}
	case "dns":
		if name := strings.TrimSuffix(written, "."); name != "" && !strings.HasSuffix(name, ".") && isASCII(name) {
			return strings.ToLower(name)
		}
	case "time":
		if at, err := time.Parse(time.RFC3339Nano, written); err == nil && at.UTC().Year() >= 0 {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return written
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0 }

// leafTree returns the meaning of a leaf that is not behind a pointer.
func leafTree(v reflect.Value) any {
	if v.Kind() == reflect.Interface {
		return ownJSON(v)
	}
	switch x := v.Interface().(type) {
	case resource.Quantity:
		return text(plainDecimal(quantityValue(x)))
	case time.Time:
		return timeTree(x, time.Nanosecond)
	case metav1.Time:
		return timeTree(x.Time, time.Second)
	case metav1.MicroTime:
		return timeTree(x.Time, time.Microsecond)
	case metav1.Duration:
		return text(x.Duration.String())
	case intstr.IntOrString:
		if x.Type == intstr.String {
			return text(x.StrVal)
		}
		return number{strconv.Itoa(int(x.IntVal))}
	case json.Number:
		return numberTree(cmp.Or(string(x), "0"))
	}
	if marshals(v.Type()) {
		return ownJSON(v)
	}
	return scalarTree(v)
}

func scalarTree(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return text(v.String())
	case reflect.Float32:
		return numberTree(strconv.FormatFloat(v.Float(), 'g', -1, 32))
	case reflect.Float64:
		return numberTree(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		return text(base64.StdEncoding.EncodeToString(v.Bytes()))
	}
	return numberTree(fmt.Sprintf("%d", v.Interface()))
}

// ownJSON returns the tree of the JSON that a value writes itself.
func ownJSON(v reflect.Value) any {
	pointer := reflect.New(v.Type())
	pointer.Elem().Set(v)
	written, err := json.Marshal(pointer.Interface())
	if err != nil {
		panic(err)
	}
	return jsonTree(written)
}

// jsonTree is the tree of JSON, with nothing left out.
func jsonTree(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		panic(fmt.Sprintf("%v in %s", err, raw))
	}
	return treeOf(decoded)
}

func treeOf(decoded any) any {
	switch x := decoded.(type) {
	case string:
		return text(x)
	case json.Number:
		return numberTree(string(x))
	case []any:
		list := make([]any, len(x))
		for i, elem := range x {
			list[i] = treeOf(elem)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, member := range x {
			object[name] = treeOf(member)
		}
		return object
	}
	return decoded
}

func numberTree(spelling string) number {
	value, ok := new(big.Rat).SetString(spelling)
	if !ok {
		panic("no number: " + spelling)
	}
	return number{value.RatString()}
}

// timeTree rounds a time to the precision of its JSON. The zero time is nil.
func timeTree(t time.Time, unit time.Duration) any {
	nanos := int64(t.Nanosecond()) / int64(unit) * int64(unit)
	t = time.Unix(t.Unix(), nanos).UTC()
	if t.IsZero() {
		return nil
	}
	return text(t.Format(time.RFC3339Nano))
}

// quantityValue reads the number and the suffix that a Quantity writes.
func quantityValue(q resource.Quantity) *big.Rat {
	written := q.String()
	digits := strings.TrimRight(written, "numkKMGTPEi")
	suffixes := map[string]*big.Rat{"": big.NewRat(1, 1)}
	thousand := big.NewRat(1, 1)
	kibi := big.NewRat(1, 1)
	for i, suffix := range []string{"k", "M", "G", "T", "P", "E"} {
		thousand = new(big.Rat).Mul(thousand, big.NewRat(1000, 1))
		kibi = new(big.Rat).Mul(kibi, big.NewRat(1024, 1))
		suffixes[suffix] = thousand
		suffixes[strings.ToUpper(suffix)+"i"] = kibi
		if i < 3 {
			suffixes[[]string{"m", "u", "n"}[i]] = new(big.Rat).Inv(thousand)
		}
	}
	value, ok := new(big.Rat).SetString(digits)
	factor := suffixes[strings.TrimPrefix(written, digits)]
	if !ok || factor == nil {
		panic("no quantity: " + written)
	}
	return value.Mul(value, factor)
}

// plainDecimal writes a number that has finitely many digits.
func plainDecimal(value *big.Rat) string {
	written := value.FloatString(80)
	written = strings.TrimRight(strings.TrimRight(written, "0"), ".")
	return map[bool]string{true: "0", false: written}[value.Sign() == 0]
}

// parsed reads the text of default= or hotwhen= as a value of a type.
func parsed(t reflect.Type, written string) reflect.Value {
	v := reflect.New(t)
	quoted, _ := json.Marshal(written)
	for _, spelling := range []string{written, string(quoted)} {
		if json.Unmarshal([]byte(spelling), v.Interface()) == nil {
			return v.Elem()
		}
	}
	panic("no " + t.String() + ": " + written)
}

// keyText is the text of a map key, as encoding/json writes it.
func keyText(key reflect.Value) string {
	if marshaler, ok := reflect.TypeAssert[encoding.TextMarshaler](key); ok && key.Kind() != reflect.String {
		written, err := marshaler.MarshalText()
		if err != nil {
			panic(err)
		}
		return string(written)
	}
	return fmt.Sprint(key.Interface())
}
