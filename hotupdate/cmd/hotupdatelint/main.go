// Command hotupdatelint reports hotupdatable struct tags that are misspelled, misplaced or without
// effect.
//
//	hotupdatelint ./...                                     on its own
//	hotupdatelint -fix ./...                                and corrects what was meant without doubt
//	go vet -vettool=$(which hotupdatelint) ./...            as a part of go vet
//
// The exit code is 0 if there is nothing to report, also if -fix has corrected all of it, and not 0
// if something is left. Package hotupdatelint has the rules.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatelint"
)

func main() {
	rest, fixes := withoutFix(os.Args[1:])
	if fixes && os.Getenv(fixing) == "" {
		if err := fixFirst(os.Args[1:]); err != nil {
			os.Exit(exitCode(err))
		}
		os.Args = append(os.Args[:1], rest...)
	}
	singlechecker.Main(hotupdatelint.Analyzer) // it also speaks the protocol of go vet
}

// withoutFix returns the arguments without -fix, and whether it is there: then the files are corrected
// before they are checked. It is not for go vet, whose argument is a file in .cfg, nor with -diff, which
// corrects nothing.
func withoutFix(args []string) (rest []string, fixes bool) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" || !strings.HasPrefix(arg, "-") { // the packages
			rest = append(rest, args[i:]...)
			break
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		isOn, err := strconv.ParseBool(cmp.Or(value, "true"))
		switch {
		case name == "fix" && err == nil:
			fixes = isOn
			continue
		case name == "diff" && err == nil && isOn:
			return args, false
		}
		rest = append(rest, arg)
		if !hasValue && slices.Contains(withValue, name) && i+1 < len(args) {
			i++
			rest = append(rest, args[i])
		}
	}
	byGoVet := slices.ContainsFunc(rest, func(arg string) bool { return strings.HasSuffix(arg, ".cfg") })
	return rest, fixes && !byGoVet
}

// withValue are the flags of an analysis whose value is a separate argument.
var withValue = []string{"c", "cpuprofile", "debug", "memprofile", "tags", "trace"}

// fixing is the environment variable of the process that corrects the files.
const fixing = "HOTUPDATELINT_FIXING"

// fixFirst corrects the files in another process: an analysis that corrects says nothing about what it
// cannot correct.
func fixFirst(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	first := exec.Command(self, args...)
	first.Env = append(os.Environ(), fixing+"=1")
	first.Stdout = os.Stdout
	first.Stderr = os.Stderr
	return first.Run()
}

// exitCode returns the exit code for a process that failed, which has said why.
func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, "hotupdatelint:", err)
	return 1
}
