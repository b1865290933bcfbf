package extensions

import "github.com/hotupdate/providerconfig/internal/provider"

// AliCloud is gardener-extension-provider-alicloud. Its release ignores configs. It hashes whether
// the root volume is encrypted, and size, type and encryption of the data volumes in their order.
// Below the canonical era, configs stay ignored after adoption: a pool may have a config that has
// never had an effect, and must keep its name.
func AliCloud() *Extension {
	return &Extension{
		Name: "alicloud", Release: "v1.71.0", Earlier: "v1.62.0", Own: encryptedVolumes, Ignores: true,
		traits: provider.Traits{FallsBack: true},
	}
}
