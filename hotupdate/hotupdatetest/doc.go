// Package hotupdatetest holds the tests that an adopter of package hotupdate runs in CI.
//
// A hash stays stable only if every release of every adopter keeps it so. Two calls watch over that:
//
//	func TestWorkerConfig(t *testing.T) {
//		hotupdatetest.Check[v1alpha1.WorkerConfig](t)
//		hotupdatetest.Golden[v1alpha1.WorkerConfig](t, "testdata/workerconfig.json", update)
//	}
//
// [Check] makes sure, with generated configurations, that the type keeps the library's guarantees: it finds marshalers that write one
// value in two ways, copies that share memory, and defaults that are not declared. [Golden] keeps the type's Schema and the hashes of fixed
// configurations in a file, and tells what a change of the type does to a fleet, before it is released. A flag of the test writes the file:
//
//	var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")
//
// For tests of the adopter's own there are [Mutate], which changes one field of a class, and the options [IgnoreHot] and [IgnoreImmutable]
// for package cmp.
//
// The package owns how values of any type are generated, changed and shrunk, how a failure is told, and the golden file. It must not know
// providers, and nothing that runs in production may import it.
//
// Sensitive values and keys are in no message, but package cmp shows what differs as it is. Generated values are in the files that rapid
// keeps of failures only as random bits.
package hotupdatetest
