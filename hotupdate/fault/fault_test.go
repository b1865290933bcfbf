package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	inner := &fault.Error{Path: "list[0]", What: "has no name", Hint: "set it"}
	for _, test := range []struct {
		err  fault.Error
		want string
	}{
		{fault.Error{What: "there is no Schema"}, "there is no Schema"},
		{
			fault.Error{Field: "aws.Config.Tags", Path: "tags", Type: "string", What: "is invalid", Hint: "mend it"},
			"field aws.Config.Tags is invalid; mend it",
		},
		{fault.Error{Path: "tags", Type: "string", What: "is invalid"}, "tags: is invalid"},
		{fault.Error{Type: "string", What: "is invalid"}, "string: is invalid"},
		{fault.Error{Where: "machine m", What: "is invalid", Hint: "mend it"}, "machine m: is invalid; mend it"},
		{fault.Error{Where: `pool "a"`, Path: "volume", What: "is invalid"}, `pool "a": volume: is invalid`},
		{
			fault.Error{What: "has a marshaler that failed", Cause: errors.New("hunter2"), Hint: "correct it"},
			"has a marshaler that failed (*errors.errorString); correct it",
		},
		{
			fault.Error{Where: "class c", What: "cannot be read", Cause: errors.Join(inner, inner)},
			"class c: cannot be read (list[0]: has no name; set it; list[0]: has no name; set it)",
		},
	} {
		assert.EqualError(t, &test.err, "hotupdate: "+test.want)
	}
}

func TestAll(t *testing.T) {
	t.Parallel()
	a := &fault.Error{What: "a"}
	b := &fault.Error{What: "b", Cause: &fault.Error{What: "cause"}}
	assert.Empty(t, fault.All(nil))
	assert.Empty(t, fault.All(errors.New("foreign")))
	assert.Equal(t, fault.List{a}, fault.All(a))
	assert.Equal(
		t, fault.List{a, b}, fault.All(errors.Join(a, fmt.Errorf("wrapped: %w", errors.Join(errors.New("foreign"), b)))),
		"in order, without causes",
	)
	var list fault.List
	assert.NoError(t, list.Err())
	list.Add(a)
	list.Add(b)
	assert.Equal(t, list, fault.All(list.Err()))
	assert.ErrorIs(t, list.Err(), b.Cause)
}

// TestIs: a problem is found wherever it is joined or wrapped, by its code alone, and not as a cause.
func TestIs(t *testing.T) {
	t.Parallel()
	unknown := &fault.Error{Kind: fault.Invalid, Code: fault.UnknownMember}
	other := &fault.Error{Kind: fault.Failed, Code: fault.EraFailed, Cause: &fault.Error{Kind: fault.Invalid, Code: fault.TooDeep}}
	err := fmt.Errorf("pool a: %w", errors.Join(other, errors.New("x"), unknown))
	assert.True(t, fault.Is(err, fault.UnknownMember))
	assert.True(t, fault.Is(err, fault.EraFailed))
	assert.False(t, fault.Is(err, fault.TooDeep), "a cause is not a problem of its own")
	assert.False(t, fault.Is(err, fault.InvalidJSON))
	assert.False(t, fault.Is(nil, fault.UnknownMember))
}
