package extension_test

import (
	"time"

	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	"sigs.k8s.io/cluster-api/exp/runtime/server"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hotupdate/providerconfig/examples/clusterapi/extension"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// serve is the code for the main function of a provider. The scheme of the manager has the types of
// Cluster API and of its provider for AWS.
func serve(mgr ctrl.Manager, ec2 extension.EC2) error {
	e, err := extension.New(extension.Config{
		Client: mgr.GetClient(), EC2: ec2, Now: time.Now, Limiter: &machineupdate.Limiter{Every: time.Second, Burst: 10, InFlight: 3},
	})
	if err != nil {
		return err
	}
	hooks, err := extension.NewServer(e, server.Options{CertDir: "/tls"})
	if err != nil {
		return err
	}
	if err := mgr.Add(hooks); err != nil { // answers Cluster API
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).For(&infrav1.AWSMachine{}).Complete(e) // adopts machines
}

var _ = serve // README.md shows it
