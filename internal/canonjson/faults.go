package canonjson

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func invalidJSON(offset int, problem string) *fault.Error {
	return &fault.Error{
		Kind: fault.Malformed, Code: "invalid-json",
		What: fmt.Sprintf("malformed JSON at byte offset %d: %s", offset, problem),
		Hint: "write one JSON value as RFC 8259 has it",
	}
}

// at describes what stands at a byte offset.
func at(offset int, kind fault.Kind, code, what, hint string) *fault.Error {
	return &fault.Error{Kind: kind, Code: code, What: fmt.Sprintf("%s at byte offset %d", what, offset), Hint: hint}
}

func invalidUTF8(offset int) *fault.Error {
	return at(offset, fault.Malformed, "invalid-utf8", "invalid UTF-8", "encode text as UTF-8, and binary data as base64")
}

func loneSurrogate(offset int) *fault.Error {
	return at(offset, fault.Malformed, "invalid-utf8", `lone surrogate in a \u escape`, "write both halves of the pair, or the character itself")
}

func notFinite() *fault.Error {
	return &fault.Error{
		Kind: fault.Limit, Code: "not-finite",
		What: "a float that is NaN or infinite",
		Hint: "JSON has finite numbers only: leave the value out or write it as a string",
	}
}

func numberRange(offset int) *fault.Error {
	return &fault.Error{
		Kind: fault.Limit, Code: "number-range",
		What: fmt.Sprintf("number at byte offset %d with a decimal exponent beyond ±%d", offset, MaxExponent),
		Hint: "write a number of smaller magnitude, or a string",
	}
}

func tooDeep(offset int) *fault.Error {
	return at(offset, fault.Limit, "too-deep", fmt.Sprintf("more than %d nested objects and arrays", MaxDepth), "nest less deeply")
}

func duplicateMember(offset int) *fault.Error {
	return at(offset, fault.Duplicate, "duplicate-member", "a second member of the same name", "keep one of them; escapes make no difference to a name")
}
