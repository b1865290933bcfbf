package canonjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// The oracles of this file share no code and no method with the package: numbers go through big.Rat, values through encoding/json.

// canonical returns what AppendValue makes of a text that must be good.
func canonical(t require.TestingT, raw string) string {
	got, err := canonjson.AppendValue(nil, []byte(raw))
	require.Nil(t, err, "%q", raw)
	return string(got)
}

// requireFault checks a fault as every problem of the package must be.
func requireFault(t require.TestingT, err *fault.Error, want string) {
	require.NotNil(t, err)
	require.Equal(t, want, err.Code, err.Error())
	require.NotEmpty(t, err.What)
	require.NotEmpty(t, err.Hint)
	require.Empty(t, err.Path, "the caller adds the path")
}

// naiveString writes a string rune by rune.
func naiveString(s string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, 8: `\b`, 9: `\t`, 10: `\n`, 12: `\f`, 13: `\r`}
	var b strings.Builder
	for _, r := range s {
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

var numberParts = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// scientificExponent is the exponent of a literal once one digit other than 0 stands before the decimal point; nil for zero.
func scientificExponent(literal string) *big.Int {
	parts := numberParts.FindStringSubmatch(literal)
	exp := new(big.Int)
	if parts[3] != "" {
		exp.SetString(parts[3], 10)
	}
	for i, digit := range parts[1] + parts[2] {
		if digit != '0' {
			return exp.Add(exp, big.NewInt(int64(len(parts[1])-1-i)))
		}
	}
	return nil
}

// numberProblem is what AppendNumber must find wrong with a text.
func numberProblem(literal string) string {
	if !numberParts.MatchString(literal) {
		return "invalid-json"
	}
	exp := scientificExponent(literal)
	if exp != nil && exp.CmpAbs(big.NewInt(canonjson.MaxExponent)) > 0 {
		return "number-range"
	}
	return ""
}

// exact is the value of a literal without a numberProblem.
func exact(literal string) *big.Rat {
	exp := scientificExponent(literal)
	if exp == nil {
		return new(big.Rat)
	}
	parts := numberParts.FindStringSubmatch(literal)
	digits := strings.TrimLeft(parts[1]+parts[2], "0")
	value, _ := new(big.Rat).SetString(digits[:1] + "." + digits[1:] + "e" + exp.String())
	if literal[0] == '-' {
		value.Neg(value)
	}
	return value
}

// naiveNumber follows Number::toString of ECMAScript step by step: n, k and s as in the standard.
func naiveNumber(value *big.Rat) string {
	if value.Sign() == 0 {
		return "0"
	}
	if value.Sign() < 0 {
		return "-" + naiveNumber(new(big.Rat).Neg(value))
	}
	ten := big.NewRat(10, 1)
	shift := 0
	x := new(big.Rat).Set(value)
	for !x.IsInt() {
		x.Mul(x, ten)
		shift++
	}
	all := x.Num().String()
	s := strings.TrimRight(all, "0")
	k := len(s)
	n := len(all) - shift
	switch {
	case k <= n && n <= 21:
		return s + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return s[:n] + "." + s[n:]
	case -6 < n && n <= 0:
		return "0." + strings.Repeat("0", -n) + s
	case k == 1:
		return fmt.Sprintf("%se%+d", s, n-1)
	default:
		return fmt.Sprintf("%s.%se%+d", s[:1], s[1:], n-1)
	}
}

// pair is a member of an object in the oracle's tree. The other nodes are []any, string, json.Number, bool and nil.
type pair struct {
	name  string
	value any
}

// naiveValue writes a tree.
func naiveValue(node any) string {
	var items []string
	switch node := node.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(node)
	case string:
		return naiveString(node)
	case json.Number:
		return naiveNumber(exact(string(node)))
	case []any:
		for _, element := range node {
			items = append(items, naiveValue(element))
		}
		return "[" + strings.Join(items, ",") + "]"
	case []pair:
		members := append([]pair(nil), node...)
		sort.Slice(members, func(i, j int) bool { return members[i].name < members[j].name })
		for _, m := range members {
			items = append(items, naiveString(m.name)+":"+naiveValue(m.value))
		}
		return "{" + strings.Join(items, ",") + "}"
	default:
		return fmt.Sprintf("a %T, which no tree has", node)
	}
}

// decode reads one value with the token reader of encoding/json, and collects the problems that it knows nothing about.
func decode(dec *json.Decoder, depth int, problems map[string]bool) any {
	token, err := dec.Token()
	if err != nil {
		problems["invalid-json"] = true
		return nil
	}
	switch token := token.(type) {
	case json.Number:
		problems[numberProblem(string(token))] = true
		return token
	case json.Delim:
		if depth >= canonjson.MaxDepth {
			problems["too-deep"] = true
		}
		defer func() { _, _ = dec.Token() }()
		if token == '[' {
			elements := []any{}
			for dec.More() {
				elements = append(elements, decode(dec, depth+1, problems))
			}
			return elements
		}
		return decodeMembers(dec, depth+1, problems)
	default:
		return token
	}
}

func decodeMembers(dec *json.Decoder, depth int, problems map[string]bool) []pair {
	members := []pair{}
	seen := map[string]bool{}
	for dec.More() {
		token, _ := dec.Token()
		name := token.(string)
		if seen[name] {
			problems["duplicate-member"] = true
		}
		seen[name] = true
		members = append(members, pair{name, decode(dec, depth, problems)})
	}
	return members
}

// units splits valid JSON into characters, escapes and surrogate pairs.
var units = regexp.MustCompile(`(?s)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]`)

var loneSurrogate = regexp.MustCompile(`^\\u[dD][89a-fA-F][0-9a-fA-F]{2}$`)

func invalidText(raw string) bool {
	if !utf8.ValidString(raw) {
		return true
	}
	return slices.ContainsFunc(units.FindAllString(raw, -1), loneSurrogate.MatchString)
}

// oracle returns the tree of a text and every problem that AppendValue may report. A text that is no JSON has only InvalidJSON.
func oracle(raw string) (any, map[string]bool) {
	problems := map[string]bool{}
	if !json.Valid([]byte(raw)) {
		problems["invalid-json"] = true
		return nil, problems
	}
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	tree := decode(dec, 0, problems)
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		problems["invalid-json"] = true
	}
	problems["invalid-utf8"] = invalidText(raw)
	for code, found := range problems {
		if !found || code == "" {
			delete(problems, code)
		}
	}
	return tree, problems
}

// checkValue compares AppendValue with the oracle.
func checkValue(t require.TestingT, raw string) {
	dst := []byte("dst ")
	got, err := canonjson.AppendValue(dst, []byte(raw))
	tree, problems := oracle(raw)
	if len(problems) > 0 {
		require.NotNil(t, err, "%q: want one of %v", raw, problems)
		// What is no JSON may have other problems before the place where it stops being JSON.
		if json.Valid([]byte(raw)) {
			require.True(t, problems[err.Code], "%q: %v, want one of %v", raw, err, problems)
		}
		requireFault(t, err, err.Code)
		require.Equal(t, "dst ", string(got))
		return
	}
	require.Nil(t, err, "%q", raw)
	require.True(t, bytes.HasPrefix(got, dst))
	text := string(got[len(dst):])
	require.Equal(t, naiveValue(tree), text, "%q", raw)
	require.Equal(t, text, canonical(t, text), "canonical text stays as it is")
	back, problems := oracle(text)
	require.Empty(t, problems)
	require.Equal(t, text, naiveValue(back), "the meaning survives")
}

// TestOracle pins the oracle itself, where it could go wrong unnoticed.
func TestOracle(t *testing.T) {
	require.True(t, invalidText(`"\ud800"`))
	require.True(t, invalidText(`"\udc00\ud800"`))
	require.False(t, invalidText(`"\ud83d\ude00"`))
	require.False(t, invalidText(`"\\ud800"`))
	require.Equal(t, "-1.5e-7", naiveNumber(big.NewRat(-15, 100000000)))
	require.Equal(t, "number-range", numberProblem("0.1e-999"))
	_, problems := oracle(`{"a":1,"\u0061":2}`)
	require.Equal(t, map[string]bool{"duplicate-member": true}, problems)
}
