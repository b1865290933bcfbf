package updater

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Server is what an Updater needs of MCM's MCServer, the type with the flags of a driver. The
// fields have the same names as in MCServer.
type Server struct {
	// ControlKubeconfig is the path of the kubeconfig of the cluster that has the Machines, or
	// inClusterConfig, which Gardener sets. Empty is TargetKubeconfig.
	ControlKubeconfig string
	// TargetKubeconfig is the path of the kubeconfig of the cluster that has the nodes, or none.
	// Empty is the cluster in which the process runs.
	TargetKubeconfig string
	// Namespace is the namespace of the Machines.
	Namespace string
	// KubeAPIQPS and KubeAPIBurst bound the queries of each of the Updater's clients a second. Zero
	// is 50 and 100.
	KubeAPIQPS   float32
	KubeAPIBurst int32
}

// The words that MCM takes in place of the path of a kubeconfig.
const (
	inCluster = "inClusterConfig"
	noTarget  = "none"
)

// ControlConfig returns the configuration of a client of the cluster that has the Machines, as
// MCM's app.Run makes it. The error comes from client-go, or is a [*fault.Error] with the code
// unusable-options if the Server has neither a control kubeconfig nor a target cluster.
func (s Server) ControlConfig() (*rest.Config, error) {
	path := s.ControlKubeconfig
	switch {
	case path == inCluster:
		path = ""
	case path == "" && s.TargetKubeconfig == noTarget:
		return nil, &fault.Error{
			Kind: fault.Misuse, Code: codeUnusable, Where: "updater.Server", Field: "ControlKubeconfig",
			What: "is empty, and TargetKubeconfig is none", Hint: "set the flag --control-kubeconfig",
		}
	case path == "":
		path = s.TargetKubeconfig
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = s.KubeAPIQPS
	config.Burst = int(s.KubeAPIBurst)
	return config, nil
}

// Start returns an Updater that runs until the context ends, with its metrics registered in
// [prometheus.DefaultRegisterer], which MCM serves. Call it once, after the flags are parsed and
// before MCM's app.Run. The context must meet the conditions of [Updater.Run].
//
// Options need only a Driver, such as a [driver.Kit]: Start takes Control and Namespace from the
// Server. The error joins the errors of [New] and of [Server.ControlConfig], and an error for each
// option that Start sets itself.
//
// [driver.Kit]: https://pkg.go.dev/github.com/hotupdate/providerconfig/hotupdate/driver#Kit
func Start(ctx context.Context, server Server, options Options) (*Updater, error) {
	if err := options.completeFrom(server); err != nil {
		return nil, err
	}
	u, err := New(options)
	if err != nil {
		return nil, err
	}
	if err := prometheus.DefaultRegisterer.Register(u); err != nil {
		return nil, err
	}
	go u.Run(ctx)
	return u, nil
}

// completeFrom sets what a Server knows.
func (o *Options) completeFrom(server Server) error {
	var problems fault.List
	mustBeUnset := func(isUnset bool, field string) {
		if !isUnset {
			problems.Add(&fault.Error{
				Kind: fault.Misuse, Code: codeUnusable, Where: "updater.Options", Field: field,
				What: "is set, although Start takes it from the Server", Hint: "leave it out, or call New",
			})
		}
	}
	mustBeUnset(o.Control == nil, "Control")
	mustBeUnset(o.Namespace == "", "Namespace")
	if err := problems.Err(); err != nil {
		return err
	}
	var err error
	o.Namespace = server.Namespace
	o.Control, err = server.ControlConfig()
	return err
}
