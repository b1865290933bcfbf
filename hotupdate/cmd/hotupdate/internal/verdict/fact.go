package verdict

// Fact is something that a verdict depends on. A fact is known, filled in or unknown; the zero value is
// unknown.
//
// No verdict is computed from an unknown fact. Each value that the fact can have is judged instead, see
// [Fact.Values]. Where the verdicts differ, the verdict is [Indeterminate] and has a [Question].
type Fact[T any] struct {
	value  T
	origin Origin
	source string
}

// Origin says how a fact is known.
type Origin uint8

// The origins. The zero value means that the fact is not known.
const (
	NoOrigin Origin = iota // unknown
	Stated                 // by a file, a flag or the config file
	Default                // filled in by a default of Gardener or of an extension
)

// Known is a fact that a file, a flag or the config file states: the source is its place, such as
// .hotupdate.yaml:4 or --cloudprofile.
func Known[T any](value T, source string) Fact[T] { return Fact[T]{value, Stated, source} }

// FilledIn is a fact that follows from a default: the source names it and its owner, such as
// SetDefaults_Shoot of Gardener.
func FilledIn[T any](value T, source string) Fact[T] { return Fact[T]{value, Default, source} }

// Value returns the value. It is false if the fact is unknown.
func (f Fact[T]) Value() (T, bool) { return f.value, f.origin != NoOrigin }

// Origin returns how the fact is known, and from where.
func (f Fact[T]) Origin() (Origin, string) { return f.origin, f.source }

// Values returns the values that have to be judged: the value, or every possible one if the fact is
// unknown.
func (f Fact[T]) Values(possible ...T) []T {
	if value, isKnown := f.Value(); isKnown {
		return []T{value}
	}
	return possible
}
