package gardener

import (
	"context"
	"slices"
	"time"

	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	shootregistry "github.com/gardener/gardener/pkg/apiserver/registry/core/shoot"
	"github.com/gardener/gardener/plugin/pkg/shoot/mutator"
	"github.com/gardener/gardener/plugin/pkg/shoot/nodelocaldns"
	"github.com/gardener/gardener/plugin/pkg/shoot/resourcereservation"
	"github.com/gardener/gardener/plugin/pkg/shoot/validator"
	"github.com/gardener/gardener/plugin/pkg/shoot/vpa"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// The parts of the API server that refuse a change, see [gardenerplugin.Refusal].
const (
	byDecoding     = "decoding"
	byNodeLocalDNS = "ShootNodeLocalDNSEnabledByDefault"
	byMutator      = "ShootMutator"
	byVPA          = "ShootVPAEnabledByDefault"
	byReservation  = "ShootResourceReservation"
	byValidation   = "validation"
	byValidator    = "ShootValidator"
)

// strategy is the registry's: PrepareForUpdate, ValidateShootUpdate, Canonicalize.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// server is what gardener-apiserver does with a request for a Shoot, from admission to the store.
type server struct {
	mutators  []mutatingPlugin
	strategy  strategy
	validator *validator.ValidateShoot
}

type mutatingPlugin struct {
	name   string
	plugin admission.MutationInterface
}

// newServer makes a server of a landscape, whose plugins read objects.
func newServer(o *objects, of gardenerplugin.Landscape) (*server, error) {
	ready := func() bool { return true }

	mutate, err := mutator.New()
	if err != nil {
		return nil, err
	}
	mutate.AssignReadyFunc(ready)
	mutate.SetCoreInformerFactory(o.core)

	reserve := resourcereservation.New(of.UseGKEFormula, labels.Everything())
	if plugin, is := reserve.(*resourcereservation.ResourceReservation); is {
		plugin.AssignReadyFunc(ready)
		plugin.SetCoreInformerFactory(o.core)
	}

	validate, err := validator.New()
	if err != nil {
		return nil, err
	}
	validate.AssignReadyFunc(ready)
	validate.SetAuthorizer(authorizer.AuthorizerFunc(allow))
	validate.SetCoreInformerFactory(o.core)
	validate.SetSecurityInformerFactory(o.security)
	validate.SetKubeInformerFactory(o.kube)

	mutators := []mutatingPlugin{{byMutator, mutate}, {byVPA, vpa.New()}, {byReservation, reserve}}
	if of.NodeLocalDNSByDefault {
		mutators = slices.Insert(mutators, 0, mutatingPlugin{byNodeLocalDNS, nodelocaldns.New()})
	}
	return &server{mutators: mutators, strategy: shootregistry.NewStrategy(time.Hour), validator: validate}, nil
}

// allow gives the user of a request every permission, since manifests have no permissions.
func allow(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

// admit does what the mutating plugins do with a new Shoot, in place.
func (s *server) admit(shoot *core.Shoot) []gardenerplugin.Refusal {
	return s.mutate(contextOf(shoot), attributesOf(shoot, nil, admission.Create))
}

// store does what comes behind the mutating plugins with a new Shoot, in place. The Shoot is complete
// even if it is refused.
func (s *server) store(shoot *core.Shoot) []gardenerplugin.Refusal {
	ctx := contextOf(shoot)
	rest.FillObjectMetaSystemFields(shoot)
	if err := rest.BeforeCreate(s.strategy, ctx, shoot); err != nil {
		return refusalsOf(byValidation, err)
	}
	return refusalsOf(byValidator, s.validator.Validate(ctx, attributesOf(shoot, nil, admission.Create), nil))
}

// validateUpdate does what the API server does with a changed Shoot behind the mutating plugins, in
// place.
func (s *server) validateUpdate(shoot, old *core.Shoot) []gardenerplugin.Refusal {
	ctx := contextOf(old)
	if err := rest.BeforeUpdate(s.strategy, ctx, shoot, old); err != nil {
		return refusalsOf(byValidation, err)
	}
	return refusalsOf(byValidator, s.validator.Validate(ctx, attributesOf(shoot, old, admission.Update), nil))
}

func contextOf(shoot *core.Shoot) context.Context {
	return genericapirequest.WithNamespace(context.Background(), shoot.Namespace)
}

// mutate runs the mutating plugins until one refuses.
func (s *server) mutate(ctx context.Context, attributes admission.Attributes) []gardenerplugin.Refusal {
	for _, m := range s.mutators {
		if !m.plugin.Handles(attributes.GetOperation()) {
			continue
		}
		if err := m.plugin.Admit(ctx, attributes, nil); err != nil {
			return refusalsOf(m.name, err)
		}
	}
	return nil
}

func attributesOf(shoot, old *core.Shoot, operation admission.Operation) admission.Attributes {
	var oldObject runtime.Object
	if old != nil {
		oldObject = old
	}
	return admission.NewAttributesRecord(shoot, oldObject,
		gardencorev1beta1.SchemeGroupVersion.WithKind("Shoot"), shoot.Namespace, shoot.Name,
		gardencorev1beta1.SchemeGroupVersion.WithResource("shoots"), "",
		operation, nil, false, &user.DefaultInfo{Name: "user"})
}
