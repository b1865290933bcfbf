package extensions

import "github.com/hotupdate/providerconfig/internal/provider"

// AliCloud is gardener-extension-provider-alicloud. Its release ignores configs, and hashes whether the
// root volume is encrypted, and size, type and encryption of the data volumes in their order. After
// adoption configs are ignored below the canonical era too, so that no pool is renamed by one that it has
// had without effect.
func AliCloud() *Extension {
	return &Extension{
		Name: "alicloud", Release: "v1.71.0", Earlier: "v1.62.0", Own: encryptedVolumes, Ignores: true,
		traits: provider.Traits{FallsBack: true},
	}
}
