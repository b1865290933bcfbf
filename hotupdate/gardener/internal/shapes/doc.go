// Package shapes reads the members of Gardener's manifests from the Go types of Gardener's releases.
//
// The table is the file members.json of the command hotupdate: under the name of each type its members,
// each with its type, the first and the last release that has it. Package members of the command says
// what the types mean. The newest release is the one that this module links, and a test holds the table
// to it. To write the table again, also after a new version of Gardener:
//
//	go generate ./internal/shapes
//
// It downloads the sources of all releases, of which Read parses the types, without compiling them.
package shapes

//go:generate go run ./generate ../../../cmd/hotupdate/internal/members/members.json
