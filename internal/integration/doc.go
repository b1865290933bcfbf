// Package integration tests the command hotupdate together with other programs: kubectl on a real
// API server, git, Helm and kustomize. It is a module of its own, so that no adopter of the library
// depends on them.
package integration
