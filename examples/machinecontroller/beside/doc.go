// Package beside has a driver whose cloud is in memory, for the tests of package hotupdate/updater
// that need an API server. In its own tests the updater runs beside a stand-in for an unmodified
// machine-controller-manager, which writes Machines as the real one does. In the tests of package
// kubeapiserver it runs beside the real one.
package beside
