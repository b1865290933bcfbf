//go:build unix

package ratio

import "syscall"

// processorSeconds is what the process has used so far, with the programs that it has started and that have ended. The
// call does not fail for these.
func processorSeconds() (seconds float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		_ = syscall.Getrusage(who, &usage)
		seconds += float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
	}
	return seconds
}
