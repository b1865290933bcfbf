//go:build unix

package ratio

import "syscall"

// processorSeconds is what the process has used so far. The call does not fail for the process itself.
func processorSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
