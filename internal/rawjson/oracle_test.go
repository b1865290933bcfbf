package rawjson_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	sigsjson "sigs.k8s.io/json"
)

// oracle says by other means whether raw can be decoded: as Kubernetes does, and more strictly in what it lists.
func oracle(raw []byte) bool {
	text := strings.Trim(string(raw), " \t\r\n")
	if text == "" {
		return true
	}
	return depth(text) <= 1000 && json.Valid(raw) && isUnicode(text) && areMembersDistinct([]byte(text)) && areNumbersBounded(raw) && kubernetesReads(raw) && isLossless(raw)
}

func kubernetesReads(raw []byte) (ok bool) {
	defer func() { ok = recover() == nil && ok }() // an unmarshaler may panic
	strict, err := sigsjson.UnmarshalStrict(raw, &config{})
	return err == nil && len(strict) == 0
}

// loneSurrogate finds what is left when escaped backslashes and well-formed pairs are gone.
var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	loneSurrogate = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// isUnicode reports whether JSON holds neither invalid UTF-8 nor lone surrogates.
func isUnicode(text string) bool {
	rest := surrogatePair.ReplaceAllString(strings.ReplaceAll(text, `\\`, " "), " ")
	return utf8.ValidString(text) && !loneSurrogate.MatchString(rest)
}

// areMembersDistinct looks for two members of one name in one object of valid JSON, at any depth.
func areMembersDistinct(raw []byte) bool {
	dec, seen := json.NewDecoder(bytes.NewReader(raw)), map[string]bool{}
	if opening, _ := dec.Token(); opening != json.Delim('{') && opening != json.Delim('[') {
		return true
	}
	for dec.More() {
		if raw[0] == '{' {
			name, _ := dec.Token()
			if seen[name.(string)] {
				return false
			}
			seen[name.(string)] = true
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil || !areMembersDistinct(value) {
			return false
		}
	}
	return true
}

var number = regexp.MustCompile(`^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$`)

// areNumbersBounded reports whether the exponents of all numbers, with one digit before the point, have at most three digits.
func areNumbersBounded(raw []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return true
		}
		literal, isNumber := token.(json.Number)
		if !isNumber {
			continue
		}
		parts := number.FindStringSubmatch(literal.String())
		significant := strings.TrimLeft(parts[1]+parts[2], "0")
		exponent, _ := new(big.Int).SetString("0"+strings.TrimLeft(parts[3], "+-"), 10)
		if strings.HasPrefix(parts[3], "-") {
			exponent.Neg(exponent)
		}
		exponent.Add(exponent, big.NewInt(int64(len(significant)-len(parts[2])-1)))
		if significant != "" && exponent.CmpAbs(big.NewInt(999)) > 0 {
			return false
		}
	}
}

// depth is how deep brackets outside of strings nest.
func depth(text string) (deepest int) {
	at, inText := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == '{' || c == '['):
			at++
			deepest = max(deepest, at)
		case !inText && (c == '}' || c == ']'):
			at--
		}
	}
	return deepest
}

// isLossless reports whether decoding the object raw loses neither digits of numbers in free JSON nor entries of the maps
// whose keys are read.
func isLossless(raw []byte) bool {
	var members struct {
		Any    json.RawMessage            `json:"any"`
		Folded map[string]json.RawMessage `json:"folded"`
		Ints   map[string]json.RawMessage `json:"ints"`
	}
	if json.Unmarshal(raw, &members) != nil {
		return true // null
	}
	foldedKeys := map[string]bool{}
	for name := range members.Folded {
		foldedKeys[strings.ToLower(name)] = true
	}
	keys := map[int64]bool{}
	for name := range members.Ints {
		key, _ := strconv.ParseInt(name, 10, 64)
		keys[key] = true
	}
	dec := json.NewDecoder(bytes.NewReader(members.Any))
	dec.UseNumber()
	var free any
	_ = dec.Decode(&free)
	return len(foldedKeys) == len(members.Folded) && len(keys) == len(members.Ints) && areNumbersExact(free)
}

// areNumbersExact reports whether each number is an int64, or what the shortest text of its float64 says.
func areNumbersExact(free any) bool {
	switch v := free.(type) {
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return true
		}
		f, err := v.Float64()
		shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		exact, ok := new(big.Rat).SetString(v.String())
		return err == nil && ok && exact.Cmp(shortest) == 0
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !areNumbersExact(e) })
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return !areNumbersExact(e) })
	default:
		return true
	}
}
