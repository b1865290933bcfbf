package updater

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-openapi/jsonpointer"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"
)

// pruneEvery is the interval at which versions are passed on to another class, and removed once no
// machine may need them any more.
const pruneEvery = 10 * time.Second

// tendVersions passes on and prunes the stored versions until the term ends: at an interval, and
// when a MachineDeployment gets another class.
func (u *Updater) tendVersions(term context.Context) {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for term.Err() == nil {
		err := errors.Join(u.inherit(term), u.prune(term))
		isOver := term.Err() != nil
		if err != nil && !isOver && !isRace(err) {
			klog.FromContext(term).Error(err, "versions of classes are neither passed on nor pruned")
		}
		select {
		case <-term.Done():
		case <-ticker.C:
		case <-u.succession:
		}
	}
}

// inherit copies versions as rule 3 of "Creations without a record" in FLOW.md says: for a machine
// without a record, from the classes with which it may have been created to the class that it
// should have.
func (u *Updater) inherit(ctx context.Context) error {
	heirs, err := u.heirs(u.cache.allMachines())
	if err != nil || len(heirs) == 0 {
		return err
	}
	found, err := readStore(ctx, u.store.objects)
	if err != nil {
		return err
	}
	var problems []error
	isChanged := false
	for _, heir := range slices.Sorted(maps.Keys(heirs)) {
		for _, class := range sets.List(heirs[heir]) {
			isNews, err := found.inherit(heir, class)
			problems = append(problems, err)
			if isNews {
				isChanged = true
			}
		}
	}
	if isChanged {
		_, err = found.write(ctx, u.store.objects)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// heirs returns the classes that machines without a record should have, each with the other classes
// with which these machines may have been created.
func (u *Updater) heirs(machines []*object) (map[string]sets.Set[string], error) {
	names := u.driver.Annotations()
	heirs := map[string]sets.Set[string]{}
	for _, machine := range machines {
		if machine.GetDeletionTimestamp() != nil || isRecorded(machine, names) {
			continue
		}
		own, err := u.cache.ownership(machine)
		if err != nil {
			return nil, err
		}
		origins, err := u.cache.origins(machine)
		if err != nil {
			return nil, err
		}
		former := sets.New(origins...).Delete(own.wanted)
		if len(former) > 0 {
			heirs[own.wanted] = former.Union(heirs[own.wanted])
		}
	}
	return heirs, nil
}

// prune removes versions that no machine without a record can have used: all but the last version of
// a class whose machines have records, and all versions of a class that is gone with its machines.
// First it marks the ConfigMap, then it lists the machines, and then it writes, unless the ConfigMap
// has changed since the mark. A creation that read before the mark has its Machine in the list; one
// that reads later finds the mark, and writes.
func (u *Updater) prune(ctx context.Context) error {
	found, err := readStore(ctx, u.store.objects)
	if err != nil {
		return nil //nolint:nilerr // creations and adoptions report the error
	}
	isDue, _, err := u.dropUnused(&found, u.cache.allMachines())
	if err != nil || !isDue {
		return err
	}
	found, err = u.mark(ctx)
	if err != nil {
		return err
	}
	var machines []*object
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return u.clients.machines.List(ctx, options)
	})
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, func(machine runtime.Object) error {
		machines = append(machines, machine.(*object)) //nolint:forcetypeassert // the client is a dynamic one
		return nil
	}); err != nil {
		return err
	}
	_, lost, err := u.dropUnused(&found, machines)
	if err != nil {
		return err
	}
	delete(found.object.Annotations, annotationPruning)
	written, err := found.write(ctx, u.store.objects)
	if err == nil {
		u.tellLost(written, lost)
	}
	return err
}

// mark marks the ConfigMap, and returns its content.
func (u *Updater) mark(ctx context.Context) (content, error) {
	found, err := readStore(ctx, u.store.objects)
	if err != nil {
		return found, err
	}
	metav1.SetMetaDataAnnotation(&found.object.ObjectMeta, annotationPruning, "true")
	found.object, err = found.write(ctx, u.store.objects)
	return found, err
}

// dropUnused removes the versions from a content that no machine can need any more, and reports
// whether the content has changed. It returns those of the removed versions, by class, that were
// stored nowhere else. After an error the content is unchanged.
func (u *Updater) dropUnused(c *content, machines []*object) (changed bool, lost map[string][]version, err error) {
	usage, err := u.usage(machines)
	if err != nil {
		return false, nil, err
	}
	lost = map[string][]version{}
	for class := range maps.Clone(c.object.Data) {
		unrecorded, used := usage[class]
		if unrecorded {
			continue
		}
		if used && c.hold(class) {
			changed = true
		}
		_, missing := u.cache.get(u.cache.classes, class)
		versions, malformed := c.versions(class)
		isHeld := c.held().Has(class)
		var removed []version
		switch {
		case malformed != nil, !used && missing != nil:
			removed = c.remove(class)
			changed = true
		case len(versions) > 1:
			removed = c.keepLast(class, versions)
			changed = true
		}
		if len(removed) > 0 && !isHeld {
			lost[class] = removed
		}
	}
	return changed, lost, nil
}

// tellLost reports removed versions that were stored nowhere else. In a pool that rolls, the
// machines with such versions are gone.
func (u *Updater) tellLost(removed *corev1.ConfigMap, lost map[string][]version) {
	if !u.cache.hasInPlace() {
		return
	}
	of := &corev1.ObjectReference{
		APIVersion: "v1", Kind: "ConfigMap", Namespace: u.options.Namespace, Name: removed.Name, UID: removed.UID,
	}
	for _, class := range slices.Sorted(maps.Keys(lost)) {
		leaves := strings.Join(leavesOf(lost[class]), ", ")
		u.recorder.Event(of, corev1.EventTypeWarning, "HotUpdateVersionsLost",
			"versions of class "+class+" are removed that no record has held, because no Machine leads to them; "+
				"a machine that was created with them keeps what only they have: "+leaves)
	}
}

// maxLeaves is how many leaves an event names.
const maxLeaves = 20

// leavesOf returns the pointers of the leaves of versions, sorted.
func leavesOf(versions []version) []string {
	found := sets.New[string]()
	for _, one := range versions {
		var document any
		if json.Unmarshal([]byte(one), &document) == nil {
			collect(found, "", document)
		}
	}
	all := sets.List(found)
	if len(all) > maxLeaves {
		all = append(all[:maxLeaves], fmt.Sprintf("and %d more", len(all)-maxLeaves))
	}
	return all
}

func collect(found sets.Set[string], pointer string, value any) {
	members, isObject := value.(map[string]any)
	if !isObject {
		found.Insert(pointer)
		return
	}
	for name, member := range members {
		collect(found, pointer+"/"+jsonpointer.Escape(name), member)
	}
}

// usage returns the classes that machines name, and the classes with which machines without a
// record may have been created. The value says whether a machine without a record may have the
// class. It is an error if that is unknown for a machine.
func (u *Updater) usage(machines []*object) (map[string]bool, error) {
	names := u.driver.Annotations()
	unrecorded := map[string]bool{}
	for _, machine := range machines {
		if machine.GetDeletionTimestamp() != nil || isRecorded(machine, names) {
			class := text(machine, "spec", "class", "name")
			_, isKnown := unrecorded[class]
			if !isKnown {
				unrecorded[class] = false
			}
			continue
		}
		origins, err := u.cache.origins(machine)
		if err != nil {
			return nil, err
		}
		for _, class := range origins {
			unrecorded[class] = true
		}
	}
	return unrecorded, nil
}

// isRecorded reports whether all records of a machine are about its VM.
func isRecorded(machine *object, names []string) bool {
	providerID := text(machine, "spec", "providerID")
	annotations := machine.GetAnnotations()
	return providerID != "" && !slices.ContainsFunc(names, func(name string) bool {
		var record struct {
			ProviderID string `json:"providerID"`
		}
		err := json.Unmarshal([]byte(annotations[name]), &record)
		return err != nil || record.ProviderID != providerID
	})
}
