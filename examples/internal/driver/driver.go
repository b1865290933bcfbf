// Package driver merges the two shapes of infrastructure tags in the provider specs of the
// examples: one flat map, and one map per kind of resource. It knows no provider.
package driver

import "github.com/hotupdate/providerconfig/tags"

// Tags returns the infrastructure tags of the resources of a kind. They are the flat map,
// overridden by the map of the kind, overridden by the keys in flat by which
// machine-controller-manager finds the machine. If the driver does not set the flat map on the
// kind, flat is nil.
//
// The result is an argument of [tags.Rules.Plan], as desired, last-applied or attempted tags.
func Tags(cloud tags.Cloud, kind tags.Kind, flat map[string]string, perKind *tags.Tags) (map[string]string, error) {
	rules, err := cloud.Rules(kind)
	if err != nil {
		return nil, err
	}
	return rules.Effective(flat, perKind.Of(kind), rules.MandatoryIn(flat)), nil
}
