package gardener

import (
	"encoding/json"
	"fmt"

	"github.com/gardener/gardener/pkg/api"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	gardencoreinformers "github.com/gardener/gardener/pkg/client/core/informers/externalversions"
	securityinformers "github.com/gardener/gardener/pkg/client/security/informers/externalversions"
	gardenerutils "github.com/gardener/gardener/pkg/utils/gardener"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// objects are the objects that admission reads, in the stores of informers that never run.
type objects struct {
	core     gardencoreinformers.SharedInformerFactory
	security securityinformers.SharedInformerFactory
	kube     kubeinformers.SharedInformerFactory
	decoder  runtime.Decoder
	scheme   *runtime.Scheme
}

func newObjects() (*objects, error) {
	o := &objects{
		core:     gardencoreinformers.NewSharedInformerFactory(nil, 0),
		security: securityinformers.NewSharedInformerFactory(nil, 0),
		kube:     kubeinformers.NewSharedInformerFactory(nil, 0),
		scheme:   runtime.NewScheme(),
	}
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, gardencorev1beta1.AddToScheme, securityv1alpha1.AddToScheme,
	} {
		if err := add(o.scheme); err != nil {
			return nil, fmt.Errorf("types of objects: %w", err)
		}
	}
	o.decoder = serializer.NewCodecFactory(o.scheme).UniversalDeserializer()
	return o, nil
}

// add adds an object as a cluster returns it.
func (o *objects) add(raw json.RawMessage) error {
	object, _, err := o.decoder.Decode(raw, nil, nil)
	if err != nil {
		return fmt.Errorf("an object is not used: %w", err)
	}
	o.scheme.Default(object)
	api.Scheme.Default(object)
	store := o.storeOf(object)
	if store == nil {
		return fmt.Errorf("%s is not used: the admission of Shoots does not read its kind", o.reference(object))
	}
	profile, is := object.(*gardencorev1beta1.NamespacedCloudProfile)
	if is && profile.Status.CloudProfileSpec.Type == "" {
		return fmt.Errorf("%s is not used: it has no status.cloudProfileSpec", o.reference(object))
	}
	if err := store.Add(object); err != nil {
		return fmt.Errorf("%s is not used: %w", o.reference(object), err)
	}
	return nil
}

// storeOf returns the store of an object's kind, or nil for kinds that admission does not read.
func (o *objects) storeOf(object runtime.Object) cache.Store {
	core := o.core.Core().V1beta1()
	switch object.(type) {
	case *gardencorev1beta1.CloudProfile:
		return core.CloudProfiles().Informer().GetStore()
	case *gardencorev1beta1.NamespacedCloudProfile:
		return core.NamespacedCloudProfiles().Informer().GetStore()
	case *gardencorev1beta1.Seed:
		return core.Seeds().Informer().GetStore()
	case *gardencorev1beta1.Project:
		return core.Projects().Informer().GetStore()
	case *gardencorev1beta1.SecretBinding: //nolint:staticcheck // Shoots still have one
		return core.SecretBindings().Informer().GetStore()
	case *gardencorev1beta1.Shoot:
		return core.Shoots().Informer().GetStore()
	case *securityv1alpha1.CredentialsBinding:
		return o.security.Security().V1alpha1().CredentialsBindings().Informer().GetStore()
	case *corev1.Secret:
		return o.kube.Core().V1().Secrets().Informer().GetStore()
	case *corev1.ConfigMap:
		return o.kube.Core().V1().ConfigMaps().Informer().GetStore()
	}
	return nil
}

// addMissing adds objects that are not there, and returns their references and a function that
// removes them.
func (o *objects) addMissing(all []runtime.Object) (missing []gardenerplugin.Reference, remove func(), err error) {
	var added []runtime.Object
	remove = func() {
		for _, object := range added {
			_ = o.storeOf(object).Delete(object) // an object that was added has a key
		}
	}
	for _, object := range all {
		store := o.storeOf(object)
		_, is, err := store.Get(object)
		switch {
		case err != nil:
			remove()
			return nil, nil, fmt.Errorf("%s: %w", o.reference(object), err)
		case is:
			continue
		}
		if err := store.Add(object); err != nil {
			remove()
			return nil, nil, fmt.Errorf("%s: %w", o.reference(object), err)
		}
		added = append(added, object)
		missing = append(missing, o.reference(object))
	}
	return missing, remove, nil
}

// hasProject reports whether there is the project of a namespace. Admission finds it by the
// namespace in its spec.
func (o *objects) hasProject(namespace string) bool {
	for _, object := range o.core.Core().V1beta1().Projects().Informer().GetStore().List() {
		project, is := object.(*gardencorev1beta1.Project)
		if is && project.Spec.Namespace != nil && *project.Spec.Namespace == namespace {
			return true
		}
	}
	return false
}

// permitted returns what the objects of Shoots that are missing have to agree with.
func (o *objects) permitted(shoots ...*gardencorev1beta1.Shoot) permitted {
	return permitted{parent: o.parentOf(shoots...), account: o.accountOf(shoots...)}
}

// parentOf returns the name of the CloudProfile above the profiles of Shoots, as far as it is known.
func (o *objects) parentOf(shoots ...*gardencorev1beta1.Shoot) string {
	lister := o.core.Core().V1beta1().NamespacedCloudProfiles().Lister()
	for _, shoot := range shoots {
		reference := gardenerutils.BuildV1beta1CloudProfileReference(shoot)
		switch {
		case reference == nil:
			continue
		case reference.Kind == v1beta1constants.CloudProfileReferenceKindCloudProfile:
			return reference.Name
		}
		profile, err := lister.NamespacedCloudProfiles(shoot.Namespace).Get(reference.Name)
		if err == nil {
			return profile.Spec.Parent.Name
		}
	}
	return ""
}

// accountOf returns the Secret that a binding of Shoots has, as far as it is known.
//
//nolint:staticcheck // Shoots still have a SecretBinding
func (o *objects) accountOf(shoots ...*gardencorev1beta1.Shoot) corev1.SecretReference {
	secrets := o.core.Core().V1beta1().SecretBindings().Lister()
	credentials := o.security.Security().V1alpha1().CredentialsBindings().Lister()
	for _, shoot := range shoots {
		if name := shoot.Spec.SecretBindingName; name != nil {
			if binding, err := secrets.SecretBindings(shoot.Namespace).Get(*name); err == nil {
				return binding.SecretRef
			}
		}
		if name := shoot.Spec.CredentialsBindingName; name != nil {
			binding, err := credentials.CredentialsBindings(shoot.Namespace).Get(*name)
			if err == nil && binding.CredentialsRef.Kind == "Secret" {
				ref := binding.CredentialsRef
				return corev1.SecretReference{Namespace: ref.Namespace, Name: ref.Name}
			}
		}
	}
	return corev1.SecretReference{Namespace: shoots[0].Namespace, Name: "account"}
}

func (o *objects) reference(object runtime.Object) gardenerplugin.Reference {
	var r gardenerplugin.Reference
	if kinds, _, err := o.scheme.ObjectKinds(object); err == nil {
		r.Kind = kinds[0].Kind
	}
	if accessor, err := meta.Accessor(object); err == nil {
		r.Namespace = accessor.GetNamespace()
		r.Name = accessor.GetName()
	}
	return r
}
