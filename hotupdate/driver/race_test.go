//go:build race

package driver_test

// raceEnabled makes the model small: the race detector makes it ten times slower, and there is nothing concurrent in it.
const raceEnabled = true
