// Package conversion has common functions of the examples' conversions between versioned and
// internal types. It stands in for the code of conversion-gen.
package conversion

// List converts every element. A nil list stays nil, and an empty one empty.
func List[In, Out any](in []In, convert func(In) Out) []Out {
	if in == nil {
		return nil
	}
	out := make([]Out, len(in))
	for i, element := range in {
		out[i] = convert(element)
	}
	return out
}

// Optional converts a value. Nil stays nil.
func Optional[In, Out any](in *In, convert func(In) Out) *Out {
	if in == nil {
		return nil
	}
	return new(convert(*in))
}
