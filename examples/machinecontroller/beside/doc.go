// Package beside has the tests of package hotupdate/updater that need an API server: the updater
// runs beside a stand-in for an unmodified machine-controller-manager, which writes Machines as
// that does. It has no code of its own.
package beside
