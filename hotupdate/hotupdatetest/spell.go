package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// spelling writes JSON with its members in another order, other white space and other escapes, as another encoder might.
func (a author) spelling(raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return raw
	}
	return a.spellValue(nil, decoded)
}

func (a author) spellValue(dst []byte, decoded any) []byte {
	switch x := decoded.(type) {
	case []any:
		return a.spellSequence(dst, "[]", len(x), func(dst []byte, i int) []byte { return a.spellValue(dst, x[i]) })
	case map[string]any:
		names := slices.Sorted(maps.Keys(x))
		if a.chance(2) {
			slices.Reverse(names)
		}
		return a.spellSequence(dst, "{}", len(names), func(dst []byte, i int) []byte {
			return a.spellValue(append(a.spellText(dst, names[i]), ':'), x[names[i]])
		})
	case string:
		return a.spellText(dst, x)
	}
	written, _ := json.Marshal(decoded) // nil, bool or json.Number
	return append(dst, written...)
}

func (a author) spellSequence(dst []byte, brackets string, n int, item func([]byte, int) []byte) []byte {
	gap := among(a, "", " ", "\n\t")
	dst = append(dst, brackets[0])
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(append(dst, gap...), i)
	}
	return append(append(dst, gap...), brackets[1])
}

// spellText escapes every character that encoders may escape, or none.
func (a author) spellText(dst []byte, x string) []byte {
	if a.chance(2) {
		written, _ := json.Marshal(x) // escapes for HTML
		return append(dst, written...)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		return strconv.AppendQuote(dst, x)
	}
	return append(dst, bytes.TrimSpace(b.Bytes())...)
}
