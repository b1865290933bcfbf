package pool_test

import (
	"fmt"

	"github.com/hotupdate/providerconfig/examples/aws"
	"github.com/hotupdate/providerconfig/examples/providers"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
)

// A Shoot is upgraded to the next Kubernetes minor, and a pool gets another name.
func ExampleNewPlan() {
	shoot := `{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "spec": {
		"kubernetes": {"version": %q},
		"provider": {"type": "aws", "workers": [
			{"name": "large", "machine": {"type": "m5.large"}},
			{"name": %q, "machine": {"type": "m5.small", "image": {"name": "linux", "version": "1.2.3"}}, "kubernetes": {"version": "1.32.4"}}
		]}}}`
	old, err := pool.Read(tree.Of(fmt.Appendf(nil, shoot, "1.33.2", "small")))
	if err != nil {
		panic(err) // names every mistake in the manifest
	}
	updated, err := pool.Read(tree.Of(fmt.Appendf(nil, shoot, "1.34.0", "tiny")))
	if err != nil {
		panic(err)
	}
	planned, err := pool.NewPlan(old, updated, pool.Options{Providers: providers.All()})
	if err != nil {
		panic(err)
	}
	for _, p := range planned.Pools {
		fmt.Printf("%s: %s, %s\n", p.Name, p.State, p.Verdict)
		for _, change := range p.Changes {
			fmt.Println(" ", change.Path, change.Old, change.New, change.Class)
		}
		for _, assumption := range p.Unknown {
			fmt.Println("  assumed unchanged:", assumption)
		}
	}
	// Output:
	// large: kept, roll
	//   spec.kubernetes.version "1.33.2" "1.34.0" in-place
	//   assumed unchanged: credentials and their rotation
	//   assumed unchanged: the default version of the machine image
	// tiny: renamed, none
	//   assumed unchanged: credentials and their rotation
}

// Two pools are compared with the Schema of their provider config, in the era of their Kubernetes
// minor.
func ExampleCompare() {
	schema, err := aws.Schema()
	if err != nil {
		panic(err)
	}
	withConfig := func(config string) pool.Pool {
		p := pool.Pool{Provider: "aws", ProviderConfig: fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q%s}`, aws.APIVersion, aws.Kind, config)}
		p.Worker.Name, p.Worker.KubernetesVersion = "a", "1.34.0"
		return p
	}
	compared, err := pool.Compare(withConfig(""), withConfig(`,"tags":{"vm":{"team":"red"}}`), pool.Options{
		Providers: providers.All(), Schema: func(meta pool.TypeMeta) *hotupdate.Schema { return schema },
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(compared.Verdict, compared.Changes[0].Path, compared.NewEra)
	// Output:
	// hot update providerConfig.tags.vm[team] hand-written list
}
