package engine_test

import "unsafe"

// stringOf is a string over memory whose end can be watched.
func stringOf(memory *[64]byte) string { return unsafe.String(&memory[0], len(memory)) }
