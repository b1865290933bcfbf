package world

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/apiserver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/driver"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// StartBeside starts a process whose controller knows nothing of hot updates, like
// machine-controller-manager today, and an updater beside it.
func (w *World) StartBeside(name string) (*Replica, error) {
	return w.start(name, func(ctx context.Context, r *Replica) error {
		config := rest.CopyConfig(w.Updaters)
		if w.Core.Group != "" {
			config.Wrap(apiserver.AsKubernetes)
		}
		config.Wrap(r.network.wrap)
		hot, err := w.newUpdater(config, r.driver.Kit)
		if err != nil {
			return err
		}
		r.Updater = hot
		r.Controller.Driver = &unmodified{r.driver, hot}
		w.running.Go(func() { hot.Run(ctx) })
		return nil
	})
}

// newUpdater makes the updater, as the main function of a driver does.
func (w *World) newUpdater(config *rest.Config, kit *awsdriver.Driver) (*updater.Updater, error) {
	return updater.New(updater.Options{
		Control: config, Namespace: w.Namespace, Driver: kit, Settings: w.Settings,
	})
}

// unmodified is a driver without the methods of hot updates. It tells the updater of creations.
type unmodified struct {
	driver.Driver

	hot *updater.Updater
}

// CreateMachine stores the version of the class first.
func (u *unmodified) CreateMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	u.hot.Creating(ctx, request.Machine, request.MachineClass, request.MachineClass.ProviderSpec.Raw)
	return u.Driver.CreateMachine(ctx, request)
}

// InitializeMachine stores the version of the class first.
func (u *unmodified) InitializeMachine(ctx context.Context, request *driver.Request) (*driver.Response, error) {
	u.hot.Creating(ctx, request.Machine, request.MachineClass, request.MachineClass.ProviderSpec.Raw)
	return u.Driver.InitializeMachine(ctx, request)
}
