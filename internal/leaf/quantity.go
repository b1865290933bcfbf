package leaf

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// maxQuantityDigits bounds a quantity's digits before and after the decimal point. Kubernetes' own
// quantities have at most 19.
const maxQuantityDigits = 64

// maxQuantityText bounds the digits of a quantity's text, and maxQuantityExponent the digits of its
// decimal exponent. Kubernetes' parser needs time and memory in proportion to the power of ten: 20
// bytes can keep it busy for minutes.
const (
	maxQuantityText     = 1024
	maxQuantityExponent = len("999")
)

// ParseQuantity is resource.ParseQuantity for text of bounded digits and exponent; for other text
// the error is a [fault.Error].
func ParseQuantity(text string) (resource.Quantity, error) {
	if problem := checkQuantity(text); problem != nil {
		return resource.Quantity{}, problem
	}
	return resource.ParseQuantity(text)
}

// checkQuantity refuses text that would keep Kubernetes' parser busy. It accepts text that is not a
// quantity.
func checkQuantity(text string) *fault.Error {
	if len(text) <= maxQuantityText && strings.IndexByte(text, 'e') < 0 && strings.IndexByte(text, 'E') < 0 {
		return nil // nearly all quantities
	}
	text = strings.TrimSpace(text)
	unit := strings.TrimLeft(text, "+-.0123456789")
	exponent := ""
	startsWithE := len(unit) > 1 && (unit[0] == 'e' || unit[0] == 'E')
	if startsWithE && strings.Trim(unit[1:], "+-0123456789") == "" {
		exponent = strings.TrimLeft(unit[1:], "+-0")
	}
	if len(text)-len(unit) > maxQuantityText || len(exponent) > maxQuantityExponent {
		return outOfRange("with more than 1024 digits or an exponent beyond 999")
	}
	return nil
}

// CheckQuantities refuses well-formed JSON with a string or number anywhere that would keep the
// parser of quantities busy.
func CheckQuantities(raw []byte) *fault.Error {
	var scratch []byte
	for s := canonjson.NewScanner(raw); ; {
		token := s.Token()
		if token == nil {
			return nil
		}
		if text := canonjson.NewScanner(token); token[0] == '"' {
			token, _ = text.Text(&scratch)
		}
		if problem := checkQuantity(string(token)); problem != nil {
			return problem
		}
	}
}

// AppendQuantityJSON appends the canonical text of a quantity that is given as a well-formed string
// or number in JSON; text is the string without quotes and escapes, or the number. It is false, and
// appends nothing, if that is no quantity or has no text.
func AppendQuantityJSON(dst, token, text []byte) ([]byte, bool) {
	hasEscapes := len(token) > len(text)+len(`""`)
	switch {
	case !hasEscapes && isNatural(text):
		return append(append(append(dst, '"'), text...), '"'), true
	case checkQuantity(string(text)) != nil:
		return dst, false
	}
	var q resource.Quantity
	var err error
	if hasEscapes {
		err = q.UnmarshalJSON(token) // knows no escapes
	} else {
		q, err = resource.ParseQuantity(strings.TrimSpace(view(text))) // does the same, without a copy
	}
	if err != nil {
		return dst, false
	}
	dst, problem := AppendQuantity(dst, &q)
	return dst, problem == nil
}

// isNatural reports whether a text consists of few digits, which are their own canonical text.
func isNatural(text []byte) bool {
	s := canonjson.NewScanner(text)
	_, ok := s.Natural()
	return ok && s.At == len(text)
}

// maxQuantityBits bounds the number that is converted to digits, and its scale. Because of trailing
// zeros, it may have many more digits than maxQuantityDigits.
const maxQuantityBits = 1 << 14

const tooLong = "with more than 64 digits before or after the decimal point"

// AppendQuantity appends a quantity as a string of its plain decimal value: 1Gi is "1073741824",
// 100m is "0.1".
func AppendQuantity(dst []byte, q *resource.Quantity) ([]byte, *fault.Error) {
	if i, ok := q.AsInt64(); ok {
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, i, 10)
		return append(dst, '"'), nil
	}
	exact := q.DeepCopy() // AsDec changes its receiver
	dec := exact.AsDec()
	hasManyBits := dec.UnscaledBig().BitLen() > maxQuantityBits
	isScaledFar := dec.Scale() < -maxQuantityDigits || dec.Scale() > maxQuantityBits
	if dec.Sign() != 0 && (hasManyBits || isScaledFar) {
		return dst, outOfRange(tooLong)
	}
	whole, decimals, _ := strings.Cut(dec.String(), ".")
	decimals = strings.TrimRight(decimals, "0")
	if len(strings.TrimPrefix(whole, "-")) > maxQuantityDigits || len(decimals) > maxQuantityDigits {
		return dst, outOfRange(tooLong)
	}
	if decimals != "" {
		whole += "." + decimals
	}
	return append(append(append(dst, '"'), whole...), '"'), nil
}

// AppendStandingQuantity appends a quantity that has no canonical text: as its digits and a power of
// ten. Equal quantities have one text, which no quantity has that has a canonical text. It is false for
// numbers that no JSON has, see [checkQuantity].
func AppendStandingQuantity(dst []byte, q *resource.Quantity) ([]byte, bool) {
	exact := q.DeepCopy() // AsDec changes its receiver
	dec := exact.AsDec()
	if dec.UnscaledBig().BitLen() > maxQuantityBits {
		return dst, false
	}
	digits := dec.UnscaledBig().String()
	significant := strings.TrimRight(digits, "0")
	exponent := len(digits) - len(significant) - int(dec.Scale())
	dst = append(append(append(dst, '"'), significant...), 'e')
	dst = strconv.AppendInt(dst, int64(exponent), 10)
	return append(dst, '"'), true
}

// IsSameQuantity reports whether two quantities are the same whole number, which has a canonical
// text. It may be false for other quantities with one text.
func IsSameQuantity(a, b resource.Quantity) bool {
	one, isWhole := a.AsInt64()
	other, isOtherWhole := b.AsInt64()
	return isWhole && isOtherWhole && one == other
}

func outOfRange(how string) *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "number-range", What: "is a quantity " + how,
		Hint: "use a quantity within Kubernetes' range",
	}
}
