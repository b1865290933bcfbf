package hotupdate_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// canonical writes a tree by the grammar in package hash. Lists keep their order.
func canonical(tree any) string {
	switch x := tree.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(x)
	case text:
		return quote(string(x))
	case number:
		return x.canonical()
	case []any:
		var elements []string
		for _, elem := range x {
			elements = append(elements, canonical(elem))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(x)) {
			members = append(members, quote(name)+":"+canonical(x[name]))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	panic(fmt.Sprintf("no tree: %T", tree))
}

// escapes are the characters with an escape of their own.
var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func quote(s string) string {
	var quoted strings.Builder
	for _, r := range s {
		switch escape, found := escapes[r]; {
		case found:
			quoted.WriteString(escape)
		case r < ' ':
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	return `"` + quoted.String() + `"`
}

func (n number) exact() *big.Rat {
	value, ok := new(big.Rat).SetString(n.value)
	if !ok {
		panic("no number: " + n.value)
	}
	return value
}

// canonical lays a number out as ECMAScript does: in full from 1e-6 up to below 1e21, otherwise with an exponent.
func (n number) canonical() string {
	value := n.exact()
	sign := map[bool]string{true: "-"}[value.Sign() < 0]
	value.Abs(value)
	full := strings.TrimRight(strings.TrimRight(value.FloatString(1100), "0"), ".")
	tooSmall := value.Sign() != 0 && value.Cmp(big.NewRat(1, 1e6)) < 0
	tooLarge := value.Cmp(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil))) >= 0
	if !tooSmall && !tooLarge {
		return sign + full
	}
	whole, fraction, _ := strings.Cut(full, ".")
	exponent := len(whole) - 1
	if tooSmall {
		exponent = len(strings.TrimLeft(fraction, "0")) - len(fraction) - 1
	}
	digits := strings.Trim(whole+fraction, "0")
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return fmt.Sprintf("%s%se%+d", sign, digits, exponent)
}
