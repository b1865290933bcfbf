package canonjson

import (
	"fmt"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func invalidJSON(offset int, problem string) *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.InvalidJSON,
		What: fmt.Sprintf("malformed JSON at byte offset %d: %s", offset, problem),
		Hint: "write one JSON value as RFC 8259 has it",
	}
}

// at adds the byte offset to a problem.
func at(offset int, problem *fault.Error) *fault.Error {
	problem.What += fmt.Sprintf(" at byte offset %d", offset)
	return problem
}

func invalidUTF8(offset int) *fault.Error {
	return at(offset, &fault.Error{
		Kind: fault.Invalid, Code: "invalid-utf8", What: "invalid UTF-8",
		Hint: "encode text as UTF-8, and binary data as base64",
	})
}

func loneSurrogate(offset int) *fault.Error {
	return at(offset, &fault.Error{
		Kind: fault.Invalid, Code: "invalid-utf8", What: `lone surrogate in a \u escape`,
		Hint: "write both halves of the pair, or the character itself",
	})
}

func notFinite() *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "not-finite",
		What: "a float that is NaN or infinite",
		Hint: "JSON has finite numbers only: leave the value out or write it as a string",
	}
}

func numberRange(offset int) *fault.Error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "number-range",
		What: fmt.Sprintf("number at byte offset %d with a decimal exponent beyond ±%d", offset, MaxExponent),
		Hint: "write a number of smaller magnitude, or a string",
	}
}

func tooDeep(offset int) *fault.Error {
	return at(offset, &fault.Error{
		Kind: fault.Invalid, Code: fault.TooDeep, What: fmt.Sprintf("more than %d nested objects and arrays", MaxDepth),
		Hint: "nest less deeply",
	})
}

func duplicateMember(offset int) *fault.Error {
	return at(offset, &fault.Error{
		Kind: fault.Invalid, Code: fault.DuplicateMember, What: "a second member of the same name",
		Hint: "keep one of them; escapes make no difference to a name",
	})
}
