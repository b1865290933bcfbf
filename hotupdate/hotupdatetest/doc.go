// Package hotupdatetest holds the tests that an adopter of package hotupdate runs in CI.
//
// A hash stays stable only if every release of every adopter keeps it so. [Check] makes sure, with generated configurations, that the
// adopter's type keeps the library's guarantees:
//
//	func TestWorkerConfig(t *testing.T) {
//		hotupdatetest.Check[v1alpha1.WorkerConfig](t)
//	}
//
// The package owns how values of any type are generated, changed and shrunk, and how a failure is told. It must not know providers, and
// nothing that runs in production may import it.
package hotupdatetest
