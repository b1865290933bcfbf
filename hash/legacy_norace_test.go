//go:build !race

package hash_test

const legacyUnderRace = false
