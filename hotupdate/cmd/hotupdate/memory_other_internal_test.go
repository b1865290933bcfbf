//go:build !linux

package main

import "os"

// maximumMemory is not known on other systems.
func maximumMemory(*os.ProcessState) (mebibytes int, isKnown bool) { return 0, false }
