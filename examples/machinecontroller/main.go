// Command machinecontroller tells how a machine controller updates infrastructure tags on running machines, and what can go wrong on the way:
//
//	go run ./examples/machinecontroller
//
// Everything in the story happens: a controller with the flows of machine-controller-manager, its driver, and a cloud like Amazon EC2
// behind HTTP on loopback. Only time is simulated, so the story is the same in every run, and ends at once. README.md shows where the
// calls belong in machine-controller-manager.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Stdout, os.Stderr))
}

// run tells the story and returns the exit code.
func run(stdout, stderr io.Writer) int {
	text, err := tell()
	if _, failed := io.WriteString(stdout, text); err == nil {
		err = failed
	}
	if err != nil {
		fmt.Fprintln(stderr, "machinecontroller: "+err.Error())
		return 1
	}
	return 0
}
