package extension

import "github.com/hotupdate/providerconfig/hotupdate"

// SchemaOf returns the Schema of a WorkerConfig with the field nodeTemplate, with further options.
//
// Virtual capacity is hot by an override, because its type belongs to Gardener. It is a number on
// Node objects, and machine-controller-manager also sets it on existing ones (MCM release v0.60.0,
// pull request 1024).
func SchemaOf[T any](options ...hotupdate.Option) (*hotupdate.Schema, error) {
	return hotupdate.SchemaOf[T](append(options, hotupdate.WithTag("nodeTemplate.virtualCapacity", "true"))...)
}
