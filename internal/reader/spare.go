package reader

// Chunks hold so many values at first, and at most.
const (
	firstChunk = 8
	mostChunk  = 64
)

// spare makes values of one type, for what optional members point to. Passing ones are made many at a time: all of a chunk stay in memory
// as long as one does.
type spare[T any] struct {
	left []T
	size int
}

// next returns a pointer to a value of its own.
func (s *spare[T]) next(life Life) *T {
	if life == Lasting {
		return new(T)
	}
	if len(s.left) == 0 {
		s.size = min(max(2*s.size, firstChunk), mostChunk)
		s.left = make([]T, s.size)
	}
	value := &s.left[0]
	s.left = s.left[1:]
	return value
}
