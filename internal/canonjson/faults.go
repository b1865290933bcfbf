package canonjson

import (
	"fmt"

	"github.com/hotupdate/providerconfig/internal/fault"
)

func invalidJSON(offset int, problem string) *fault.Error {
	return &fault.Error{
		Code: fault.InvalidJSON,
		What: fmt.Sprintf("malformed JSON at byte offset %d: %s", offset, problem),
		Cure: "write one JSON value as RFC 8259 has it",
	}
}

func invalidUTF8(offset int) *fault.Error {
	return &fault.Error{
		Code: fault.InvalidUTF8,
		What: fmt.Sprintf("invalid UTF-8 at byte offset %d", offset),
		Cure: "encode text as UTF-8, and binary data as base64",
	}
}

func loneSurrogate(offset int) *fault.Error {
	return &fault.Error{
		Code: fault.InvalidUTF8,
		What: fmt.Sprintf(`lone surrogate in a \u escape at byte offset %d`, offset),
		Cure: "write both halves of the pair, or the character itself",
	}
}

func notFinite() *fault.Error {
	return &fault.Error{
		Code: fault.NotFinite,
		What: "a float that is NaN or infinite",
		Cure: "JSON has finite numbers only: leave the value out or write it as a string",
	}
}

func numberRange(offset int) *fault.Error {
	return &fault.Error{
		Code: fault.NumberRange,
		What: fmt.Sprintf("number at byte offset %d with a decimal exponent beyond ±%d", offset, MaxExponent),
		Cure: "write a number of smaller magnitude, or a string",
	}
}

func tooDeep(offset int) *fault.Error {
	return &fault.Error{
		Code: fault.TooDeep,
		What: fmt.Sprintf("more than %d nested objects and arrays at byte offset %d", MaxDepth, offset),
		Cure: "nest less deeply",
	}
}

func duplicateMember(offset int) *fault.Error {
	return &fault.Error{
		Code: fault.DuplicateMember,
		What: fmt.Sprintf("a second member of the same name at byte offset %d", offset),
		Cure: "keep one of them; escapes make no difference to a name",
	}
}
