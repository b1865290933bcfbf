// Package extension is a runtime extension for Cluster API's in-place updates of machines of
// cluster-api-provider-aws. It sets and removes tags on running machines, and covers changes that
// concern no machine. All other changes replace machines, as without the extension.
//
// schema.go has the class of each field, cover.go answers CanUpdateMachine and CanUpdateMachineSet,
// update.go answers UpdateMachine, and driver.go sets the tags.
package extension

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	"sigs.k8s.io/cluster-api/exp/runtime/catalog"
	"sigs.k8s.io/cluster-api/exp/runtime/server"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Config configures an extension.
type Config struct {
	// Client reads Clusters and AWSClusters, and reads and patches AWSMachines. Reads may come from
	// a cache.
	Client client.Client
	EC2    EC2
	// Machines has the classes of the fields of an AWSMachine. Nil is [MachineSchema].
	Machines *hotupdate.Schema
	// Wait waits before a throttled call is made again. Nil waits in real time.
	Wait    func(ctx context.Context, d time.Duration) error
	Now     func() time.Time
	Limiter *machineupdate.Limiter // limits updates, above all when a whole fleet is adopted; nil is no limit
}

// Extension answers the hooks. It is safe for concurrent use.
type Extension struct {
	Config

	subjects map[metav1.TypeMeta]subject
	rules    tags.Rules
	kit      *Kit
	classes  machineupdate.Classes
}

// New compiles the Schemas.
func New(config Config) (*Extension, error) {
	var machinesErr error
	if config.Machines == nil {
		config.Machines, machinesErr = MachineSchema()
	}
	bootstrap, bootstrapErr := BootstrapSchema()
	rules, rulesErr := tags.AWS.Rules(tags.VM)
	if err := errors.Join(machinesErr, bootstrapErr, rulesErr); err != nil {
		return nil, err
	}
	subjects, subjectsErr := subjects(config.Machines, bootstrap)
	kit, kitErr := NewKit(config.EC2, config.Machines, rules, config.Wait)
	return &Extension{Config: config, subjects: subjects, rules: rules, kit: kit}, errors.Join(subjectsErr, kitErr)
}

// NewServer returns a server that answers the hooks and Cluster API's discovery. Cluster API allows
// one extension for each of these hooks.
func NewServer(e *Extension, options server.Options) (*server.Server, error) {
	options.Catalog = catalog.New()
	if err := hooksv1.AddToCatalog(options.Catalog); err != nil {
		return nil, err
	}
	s, err := server.New(options)
	if err != nil {
		return nil, err
	}
	updateTimeout := int32(30) // the longest that Cluster API waits
	return s, errors.Join(
		s.AddExtensionHandler(server.ExtensionHandler{
			Hook: hooksv1.CanUpdateMachine, Name: "can-update-machine", HandlerFunc: e.CanUpdateMachine,
		}),
		s.AddExtensionHandler(server.ExtensionHandler{
			Hook: hooksv1.CanUpdateMachineSet, Name: "can-update-machine-set", HandlerFunc: e.CanUpdateMachineSet,
		}),
		s.AddExtensionHandler(server.ExtensionHandler{
			Hook: hooksv1.UpdateMachine, Name: "update-machine", HandlerFunc: e.UpdateMachine,
			TimeoutSeconds: &updateTimeout,
		}),
	)
}
