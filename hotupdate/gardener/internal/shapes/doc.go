// Package shapes reads the Schemas of Gardener's manifests from the Go types of Gardener's releases.
//
// [Merge] merges the releases: each member has a first and a last one. The files belong to package kinds of
// the command hotupdate: for each kind an exported Schema with the members of all releases, a line for each,
// and releases.json, which has the first and the last release of the members that not all releases have. The
// newest release is the one that this module links, and a test holds the files to it. A member of a Shoot is of
// class ignored if package measured has found that no name of a pool depends on it. To write the files again, also
// after a new version of Gardener:
//
//	go generate ./internal/shapes
//
// It downloads the sources of all releases, of which Read parses the types, without compiling them. What has
// changed is what the version control system shows of the files.
package shapes

//go:generate go run ./generate ../../../cmd/hotupdate/internal/kinds
//go:generate go run -C ../../../.. ./hotupdate/cmd/hotupdate/internal/kinds/sign hotupdate/cmd/hotupdate/internal/kinds
