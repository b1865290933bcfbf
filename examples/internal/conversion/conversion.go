// Package conversion is what the examples' conversions between versioned and internal types have in common. It stands for what
// conversion-gen generates.
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

// Optional converts what is there. Nil stays nil.
func Optional[In, Out any](in *In, convert func(In) Out) *Out {
	if in == nil {
		return nil
	}
	return new(convert(*in))
}
