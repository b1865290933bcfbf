package updater_test

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
	"github.com/hotupdate/providerconfig/tags"
)

// ProviderSpec is the provider spec of a driver.
type ProviderSpec struct {
	Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// newKit makes the kit of the driver. The calls of the cloud are left out: see package driver.
func newKit() (*driver.Kit[ProviderSpec, string], error) {
	schema, err := hotupdate.SchemaOf[ProviderSpec]()
	if err != nil {
		return nil, err
	}
	rules, err := tags.AWS.Rules(tags.VM)
	if err != nil {
		return nil, err
	}
	return driver.New(driver.Definition[ProviderSpec, string]{
		Schema: schema,
		Connect: func(_ context.Context, request *machineupdate.UpdateMachineRequest, _ *ProviderSpec) (string, error) {
			return request.ProviderID, nil
		},
		Resources: func(context.Context, string) ([]driver.Resource, error) { return nil, nil },
		Tags: []driver.Tagging[ProviderSpec, string]{{
			Kinds:   []tags.Kind{tags.VM},
			Rules:   rules,
			Project: func(spec *ProviderSpec, _ tags.Kind) map[string]string { return spec.Tags },
			Set:     func(context.Context, string, []string, []tags.Tag) error { return nil },
			Remove:  func(context.Context, string, []string, []tags.Tag) error { return nil },
		}},
	})
}

// newUpdater makes the updater in the main function of the driver.
func newUpdater(control *rest.Config) (*updater.Updater, error) {
	kit, err := newKit()
	if err != nil {
		return nil, err
	}
	return updater.New(updater.Options{
		Control: control, Namespace: "shoot--shop--orders", Driver: kit,
		// Ten updates a second, and five calls of the driver at once.
		Limiter: &machineupdate.Limiter{Every: 100 * time.Millisecond, Burst: 10, InFlight: 5},
	})
}

// The main function of a driver makes the updater, registers its metrics and runs it beside MCM.
func ExampleNew() {
	control := &rest.Config{Host: "https://kube-apiserver"} // of the seed, as MCM has it
	hot, err := newUpdater(control)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := prometheus.NewRegistry().Register(hot); err != nil {
		fmt.Println(err)
		return
	}
	// go hot.Run(context.Background())
	// must(app.Run(server, driver)) // as today
	fmt.Println("made")
	// Output:
	// made
}

// The driver's CreateMachine begins with one more line. A nil Updater stores nothing, so unit tests of
// the driver need none.
func ExampleUpdater_Creating() {
	var hot *updater.Updater // in main, the result of New
	createMachine := func(ctx context.Context, machine, class metav1.Object, providerSpec []byte) {
		hot.Creating(ctx, machine, class, providerSpec)
		fmt.Println("RunInstances for", machine.GetName())
	}
	createMachine(context.Background(), &metav1.ObjectMeta{Name: "orders-1"}, &metav1.ObjectMeta{Name: "orders-general"},
		[]byte(`{"tags":{"cost-center":"a"}}`))
	// Output:
	// RunInstances for orders-1
}

// A driver with a lane of class InPlace wraps MCM's client of the target cluster. MCM then reports a
// drained node as ready only after the driver has applied the InPlace fields.
func ExampleUpdater_WrapTransport() {
	hot, err := newUpdater(&rest.Config{Host: "https://kube-apiserver"})
	if err != nil {
		fmt.Println(err)
		return
	}
	target := &rest.Config{Host: "https://api.orders.shop"} // of the shoot
	target.Wrap(hot.WrapTransport)
	fmt.Println("wrapped:", target.WrapTransport != nil)
	// Output:
	// wrapped: true
}
