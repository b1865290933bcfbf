package main

import (
	"os"
	"syscall"
)

// maximumMemory returns the most memory that a process had, in MiB.
func maximumMemory(process *os.ProcessState) (mebibytes int, isKnown bool) {
	usage, isKnown := process.SysUsage().(*syscall.Rusage)
	if !isKnown {
		return 0, false
	}
	return int(usage.Maxrss >> 10), true
}
