package extension

import "github.com/hotupdate/providerconfig/hotupdate"

// SchemaOf returns the Schema of a WorkerConfig with the field nodeTemplate. Options come on top.
//
// Virtual capacity is hot through an override, because its type belongs to Gardener: it is a number on Node objects, which
// machine-controller-manager puts on those that exist (MCM release v0.60.0, pull request 1024).
func SchemaOf[T any](options ...hotupdate.Option) (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[T](append(options, hotupdate.WithTag("nodeTemplate.virtualCapacity", "true"))...)
}
