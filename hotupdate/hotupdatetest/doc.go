// Package hotupdatetest holds the tests that an adopter of package hotupdate runs in CI.
//
// A hash is stable only if every release of every adopter preserves it. Two calls check that:
//
//	func TestWorkerConfig(t *testing.T) {
//		hotupdatetest.Check[v1alpha1.WorkerConfig](t)
//		hotupdatetest.Golden[v1alpha1.WorkerConfig](t, "testdata/workerconfig.json", update)
//	}
//
// [Check] checks, with generated configurations, that the type keeps the library's guarantees. It
// finds marshalers that write one value in two ways, copies that share memory, and undeclared
// defaults. [Golden] keeps the type's Schema and the hashes of fixed configurations in a file, and
// tells what a change of the type would do to a fleet, before it is released. A flag of the test
// writes the file:
//
//	var update = hotupdatetest.UpdateFlag(flag.CommandLine, "update")
//
// [Keeps] checks, before an extension adopts the library, that its eras name pools like its release.
//
// To compare what is hashed of two configurations, compare their [hotupdate.Schema.Document].
//
// The package owns the generation, change and shrinking of values of any type, the report of a
// failure, and the golden file. It must not know providers, and production code must not import it.
//
// No message contains sensitive values or keys. Rapid's files of failures hold generated values only
// as random bits.
package hotupdatetest
