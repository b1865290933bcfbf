package extension

import "github.com/hotupdate/providerconfig/hotupdate"

// SchemaOf returns the Schema of a WorkerConfig with the field nodeTemplate.
//
// Virtual capacity is hot through an override, because its type belongs to Gardener: it is a number on Node objects, which
// machine-controller-manager puts on those that exist (MCM release v0.60.0, pull request 1024).
func SchemaOf[T any]() (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[T](hotupdate.WithTag("nodeTemplate.virtualCapacity", "true"))
}
