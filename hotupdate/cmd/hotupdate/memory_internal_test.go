package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// memoryFile names, in the environment of a command, the file into which it writes how much memory it had.
const memoryFile = "HOTUPDATE_TEST_MEMORY"

// writeMemory writes what the system calls the peak of this process, such as "60 kB". What a parent is told of its
// child (rusage) also counts the parent's own memory, from before the child has begun its program.
func writeMemory() {
	name := os.Getenv(memoryFile)
	if name == "" {
		return
	}
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return // it is another system
	}
	defer func() { _ = status.Close() }()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if peak, isPeak := strings.CutPrefix(lines.Text(), "VmHWM:"); isPeak {
			_ = os.WriteFile(name, []byte(strings.TrimSpace(peak)), 0o600) // the test misses it
		}
	}
}

// readMemory returns what writeMemory wrote, in MiB.
func readMemory(t *testing.T, name string) (mebibytes int) {
	t.Helper()
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	kibibytes, err := strconv.Atoi(strings.TrimSuffix(string(text), " kB"))
	require.NoError(t, err)
	return kibibytes >> 10
}

// allocatedFile names, in the environment of a command, the file into which it writes how many bytes it has allocated.
const allocatedFile = "HOTUPDATE_TEST_ALLOCATED"

func writeAllocated() {
	name := os.Getenv(allocatedFile)
	if name == "" {
		return
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	_ = os.WriteFile(name, strconv.AppendUint(nil, memory.TotalAlloc, 10), 0o600) // the test misses it
}

// readAllocated returns what writeAllocated wrote.
func readAllocated(t *testing.T, name string) (bytes int) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	bytes, err = strconv.Atoi(string(text))
	require.NoError(t, err)
	return bytes
}
