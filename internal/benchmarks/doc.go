// Package benchmarks compares the library with code that is written by hand for one type, package limit, and with
// other libraries. All of it are Go benchmarks, which benchstat shows as a table:
//
//	cd internal/benchmarks
//	go test -bench Operations//size=typical -count 10 . >results
//	go run golang.org/x/perf/cmd/benchstat@latest -col /by results
//
// A row of the table is an operation on a config of one size, and a column is one implementation. Each of them is
// compared with the first column, which is the library. Ratios hold from machine to machine better than times.
//
// BenchmarkScale hashes collections of growing size. The time for an element, which it reports, grows little, because
// the hash takes linear time.
//
// Package fleet simulates how the machines of a fleet get another infrastructure tag.
package benchmarks
