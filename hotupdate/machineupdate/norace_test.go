//go:build !race

package machineupdate_test

const raceEnabled = false
