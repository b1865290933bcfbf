package leaf

import (
	"math/big"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hotupdate/providerconfig/internal/fault"
)

// maxQuantityDigits bounds a quantity's digits before and after the decimal point. Kubernetes' own quantities have at most 19.
const maxQuantityDigits = 64

// maxQuantityBits bounds the number that is converted to digits at all; trailing zeros may be many more than maxQuantityDigits.
const maxQuantityBits = 1 << 14

// appendQuantity writes a quantity as a string of its plain decimal value: 1Gi is "1073741824", 100m is "0.1".
func appendQuantity(dst []byte, q *resource.Quantity) ([]byte, *fault.Error) {
	if i, ok := q.AsInt64(); ok {
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, i, 10)
		return append(dst, '"'), nil
	}
	exact := q.DeepCopy() // AsDec changes its receiver
	dec := exact.AsDec()
	return appendDecimalString(dst, dec.UnscaledBig(), int(dec.Scale()))
}

// appendDecimalString writes unscaled × 10^-scale in plain notation without superfluous zeros.
func appendDecimalString(dst []byte, unscaled *big.Int, scale int) ([]byte, *fault.Error) {
	if unscaled.Sign() == 0 {
		return append(dst, `"0"`...), nil
	}
	if unscaled.BitLen() > maxQuantityBits {
		return dst, quantityTooLong()
	}
	digits := new(big.Int).Abs(unscaled).Append(nil, 10)
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		scale--
	}
	whole := len(digits) - scale
	if whole > maxQuantityDigits || scale > maxQuantityDigits {
		return dst, quantityTooLong()
	}
	dst = append(dst, '"')
	if unscaled.Sign() < 0 {
		dst = append(dst, '-')
	}
	return append(appendPlain(dst, digits, whole), '"'), nil
}

// appendPlain writes digits with the decimal point after the first whole of them.
func appendPlain(dst, digits []byte, whole int) []byte {
	if whole <= 0 {
		dst = append(dst, "0."...)
		dst = appendZeros(dst, -whole)
		return append(dst, digits...)
	}
	if whole >= len(digits) {
		dst = append(dst, digits...)
		return appendZeros(dst, whole-len(digits))
	}
	dst = append(dst, digits[:whole]...)
	dst = append(dst, '.')
	return append(dst, digits[whole:]...)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

func quantityTooLong() *fault.Error {
	return &fault.Error{
		Code: fault.NumberRange, What: "is a quantity with more than 64 digits before or after the decimal point", Cure: "use a quantity within Kubernetes' range",
	}
}
