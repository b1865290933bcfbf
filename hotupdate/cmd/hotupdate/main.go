// Command hotupdate tells what a change of a provider config does to machines.
//
//	hotupdate plan OLD NEW             what applying NEW after OLD does, and which fields are to blame
//	hotupdate hash FILE                the digest that a worker pool's name depends on
//	hotupdate explain FILE             the class of every field that is set
//	hotupdate explain --document FILE  the exact bytes that are hashed
//
// Files are YAML or JSON; - is standard input. See hotupdate COMMAND --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
