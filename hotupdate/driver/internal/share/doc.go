// Package share paces the calls of machines to a cloud, and lets equal calls of several machines
// be one call.
//
// A [Pacer] is a state machine without goroutines, whose clock is an argument. A [Shell] drives
// one Pacer for each key and cloud action, for goroutines that wait for their call. The tests check
// every interleaving of a Pacer with two and three members: what one member sees must be a call
// that its machine could have made alone.
package share
