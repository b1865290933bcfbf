// Package repository holds the tests of this repository as a whole: which package may import which,
// what an adopter gets to build with a package, what stands at the top level, and that every test
// draws from a fixed seed.
//
// It owns the architecture as rules that can fail. It has no other code.
package repository
