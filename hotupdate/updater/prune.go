package updater

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/internal/schemabridge"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// pruneEvery is the interval at which versions are removed that no machine may need any more.
const pruneEvery = 10 * time.Second

// prune removes versions that no machine without a record can have used: all but the last version of
// a class whose machines have records, and all versions of a class that is gone with its machines.
// First it
// marks the ConfigMap, then it lists the machines, and then it writes, unless the ConfigMap has
// changed since the mark. A creation that read before the mark has its Machine in the list; one
// that reads later finds the mark, and writes.
func (u *Updater) prune(ctx context.Context) {
	found, err := readStore(ctx, u.store.objects)
	if err != nil || !u.dropUnused(&found, u.usage(u.cache.allMachines())) {
		return // creations and adoptions report the error
	}
	found, err = u.mark(ctx)
	if err == nil {
		err = u.pruneMarked(ctx, found)
	}
	isOver := ctx.Err() != nil
	if err != nil && !isOver && !isRace(err) {
		klog.FromContext(ctx).Error(err, "versions of classes are not pruned")
	}
}

// mark marks the ConfigMap, with all that it holds.
func (u *Updater) mark(ctx context.Context) (content, error) {
	found, err := readStore(ctx, u.store.objects)
	if err != nil {
		return found, err
	}
	metav1.SetMetaDataAnnotation(&found.object.ObjectMeta, annotationPruning, "true")
	found.object, err = found.write(ctx, u.store.objects)
	return found, err
}

// pruneMarked lists the machines, and removes versions from the ConfigMap as it was marked.
func (u *Updater) pruneMarked(ctx context.Context, found content) error {
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
	u.dropUnused(&found, u.usage(machines))
	delete(found.object.Annotations, annotationPruning)
	_, err := found.write(ctx, u.store.objects)
	return err
}

// dropUnused removes versions from a content, and reports whether there were any.
func (u *Updater) dropUnused(c *content, usage map[string]bool) (changed bool) {
	for class := range maps.Clone(c.object.Data) {
		unrecorded, used := usage[class]
		_, missing := u.cache.get(u.cache.classes, class)
		versions, malformed := c.versions(class)
		switch {
		case unrecorded:
		case malformed != nil, !used && missing != nil:
			delete(c.object.Data, class)
			changed = true
		case len(versions) > 1:
			c.object.Data[class] = textOf(versions[len(versions)-1:])
			changed = true
		}
	}
	return changed
}

// usage returns the classes that machines name, and the classes with which machines without a record
// may have been created. The value says whether a machine without a record may have the class.
func (u *Updater) usage(machines []*object) map[string]bool {
	names := u.annotations()
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
		for _, class := range u.cache.origins(machine) {
			unrecorded[class] = true
		}
	}
	return unrecorded
}

// annotations returns the names of the records that an adoption writes: the records of all Hot lanes.
func (u *Updater) annotations() []string {
	names := []string{machineupdate.AnnotationRecord}
	for _, lane := range u.driver.Lanes {
		schema := (*schemabridge.Schema)(u.driver.Schema)
		isHot := func(path string) bool { return schema.Holds(structtag.Hot, path) }
		if slices.ContainsFunc(lane.Paths, isHot) {
			names = append(names, machineupdate.AnnotationRecord+"-"+lane.Name)
		}
	}
	return names
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
