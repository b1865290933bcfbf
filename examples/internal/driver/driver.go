// Package driver is what the example drivers have in common: how the two shapes of infrastructure tags in a provider spec, one flat map
// and one map per kind of resource, come together. It knows no provider.
package driver

import "github.com/hotupdate/providerconfig/tags"

// Tags returns the infrastructure tags that the resources of a kind carry: flat, below the map of the kind, below the keys in flat by
// which machine-controller-manager finds the machine. A kind on which the driver does not set the flat map passes nil for it.
//
// The result is what [tags.Rules.Plan] takes as desired. The last-applied spec and every attempt go through the same function first.
func Tags(cloud tags.Cloud, kind tags.Kind, flat map[string]string, perKind *tags.Tags) (map[string]string, error) {
	rules, err := cloud.Rules(kind)
	if err != nil {
		return nil, err
	}
	return rules.Effective(flat, perKind.Of(kind), rules.MandatoryIn(flat)), nil
}
