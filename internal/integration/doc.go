// Package integration tests the command hotupdate with the programs that call it or write what it
// reads: kubectl on a real API server, git, Helm and kustomize. It is a module of its own, so that
// no adopter of the library depends on them.
package integration
