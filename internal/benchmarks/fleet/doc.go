// Package fleet simulates how a tag of a fleet's machines changes, and what that costs. Its tests have 400 machines:
//
//	go test -v . -machines 10000   # in a minute or two
//
// The kit, its sharing of calls, the Executor and the Limiter are the real ones. Simulated are:
//
//   - the clock: a run is a bubble of testing/synctest, in which hours take seconds;
//   - EC2, with a token bucket for each action and constant latencies. It shows every change at
//     once;
//   - the API server, with a client whose writes have a bound and no burst. Reads come from a cache
//     that never lags, and a reconcile takes no time besides its calls;
//   - the controller: a queue, first in first out, and its workers;
//   - creations, one every five seconds: a launch that EC2 makes in two seconds, a read of the new
//     VM, and two writes.
//
// Every machine has a settled record of the old tag when the class changes. It is updated, and
// confirmed after a quarter of an hour.
package fleet
