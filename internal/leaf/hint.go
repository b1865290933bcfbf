package leaf

import (
	"bytes"
	"errors"
	"reflect"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// HintedQuantity holds the JSON of a value of a custom resource that a format of its CRD, or the option
// as, says to be a quantity. The API server also admits other strings in its place. Such a string
// stands for itself, even if it is empty. Nil is the zero quantity.
type HintedQuantity []byte

// HintedDuration is like [HintedQuantity] for a duration. Nil is the zero duration.
type HintedDuration []byte

// HintedTime is like [HintedQuantity] for a time. Nil is no time.
type HintedTime []byte

// strictKinds are the kinds that read nothing else than what the hint says.
var strictKinds = map[Kind]Kind{HintQuantity: Quantity, HintDuration: Duration, HintTime: Time}

// Strict returns the kind that reads nothing else than what the hint says, and k itself if there is
// no hint.
func (k Kind) Strict() Kind {
	if strict, isHint := strictKinds[k]; isHint {
		return strict
	}
	return k
}

// IsHint reports whether a hint says what the strings of kind k are.
func (k Kind) IsHint() bool { return k.Strict() != k }

// UnmarshalJSON keeps a string or a number.
func (h *HintedQuantity) UnmarshalJSON(data []byte) error {
	return keep((*[]byte)(h), HintQuantity, data)
}

// UnmarshalJSON keeps a string.
func (h *HintedDuration) UnmarshalJSON(data []byte) error {
	return keep((*[]byte)(h), HintDuration, data)
}

// UnmarshalJSON keeps a string.
func (h *HintedTime) UnmarshalJSON(data []byte) error { return keep((*[]byte)(h), HintTime, data) }

// MarshalJSON returns the JSON that was read.
func (h HintedQuantity) MarshalJSON() ([]byte, error) { return kept(h, HintQuantity), nil }

// MarshalJSON returns the JSON that was read.
func (h HintedDuration) MarshalJSON() ([]byte, error) { return kept(h, HintDuration), nil }

// MarshalJSON returns the JSON that was read.
func (h HintedTime) MarshalJSON() ([]byte, error) { return kept(h, HintTime), nil }

// TypeName is the name of type t in messages: what JSON it is read from, for a value with a hint.
func TypeName(t reflect.Type) string {
	switch k := knownLeaves[t]; {
	case k == HintQuantity:
		return "string or number"
	case k.IsHint():
		return "string"
	default:
		return t.String()
	}
}

// keep sets a value of a kind with a hint to its JSON.
func keep(value *[]byte, k Kind, data []byte) error {
	if string(data) == Null {
		*value = nil
		return nil
	}
	if _, ok := appendHinted(nil, k, data); !ok {
		return errors.ErrUnsupported
	}
	*value = bytes.Clone(data)
	return nil
}

func kept(value []byte, k Kind) []byte {
	if value == nil {
		return []byte(zeroHinted[k])
	}
	return value
}

// zeroHinted are the canonical texts of nil.
var zeroHinted = map[Kind]string{HintQuantity: `"0"`, HintDuration: `"0s"`, HintTime: Null}

// appendHinted appends the canonical text of a value of a kind with a hint, given as JSON, of which
// nil is the zero value. It is false, and appends nothing, for JSON of another type.
func appendHinted(dst []byte, k Kind, raw []byte) ([]byte, bool) {
	if raw == nil {
		return append(dst, zeroHinted[k]...), true
	}
	s := canonjson.NewScanner(raw)
	text := raw
	if s.Peek() == '"' {
		var scratch []byte
		unescaped, problem := s.Text(&scratch)
		if problem != nil {
			return dst, false
		}
		text = unescaped
	}
	return AppendHintedJSON(dst, k, raw, text)
}

// AppendHintedJSON appends the canonical text of a value of a kind with a hint that is given as a
// well-formed string or number in JSON; text is the string without quotes and escapes, or the number.
// It is false, and appends nothing, for numbers that are no quantities.
func AppendHintedJSON(dst []byte, k Kind, token, text []byte) ([]byte, bool) {
	isString := token[0] == '"'
	mark := len(dst)
	ok := false
	//exhaustive:ignore
	switch {
	case k == HintQuantity:
		dst, ok = AppendQuantityJSON(dst, text, text) // it has no escapes any more
	case isString && k == HintDuration:
		d, err := time.ParseDuration(string(text))
		if ok = err == nil; ok {
			dst, _ = canonjson.AppendString(dst, d.String()) // is UTF-8
		}
	case isString && k == HintTime:
		dst, ok = appendHintedTime(dst, text)
	}
	if ok || !isString {
		return dst, ok
	}
	dst, problem := canonjson.AppendString(dst[:mark], string(text))
	return dst, problem == nil
}

// appendHintedValue is appendHinted for a value, which was checked when it was read.
func appendHintedValue(dst []byte, k Kind, raw []byte) ([]byte, *fault.Error) {
	dst, ok := appendHinted(dst, k, raw)
	if !ok {
		return dst, &fault.Error{
			Kind: fault.Invalid, Code: fault.WrongJSONType, What: "is not the JSON of a string",
			Hint: "set it by UnmarshalJSON",
		}
	}
	return dst, nil
}

func appendHintedTime(dst, text []byte) ([]byte, bool) {
	var t time.Time
	if t.UnmarshalText(text) != nil {
		return dst, false
	}
	dst, problem := appendTime(dst, t, nanoseconds)
	return dst, problem == nil
}
