package updater

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// pruneEvery is how often versions are looked at that nobody may need any more.
const pruneEvery = 10 * time.Second

// pageSize is the number of machines in one answer of the API server.
const pageSize = 500

// prune removes versions that no machine without a record can have used: all but the last one of a
// class whose machines have records, and all of a class that is gone with its machines. First it
// marks the ConfigMap, then it lists the machines, and then it writes, unless the ConfigMap has
// changed since the mark. A creation that read before the mark has its Machine in the list; one
// that reads later finds the mark, and writes.
func (u *Updater) prune(ctx context.Context) {
	if !u.store.takePrunable() {
		return
	}
	again, err := u.pruneOnce(ctx)
	if err != nil && ctx.Err() == nil && !isRace(err) {
		klog.FromContext(ctx).Error(err, "versions of classes are not pruned")
	}
	u.store.setPrunable(again || err != nil)
}

// pruneOnce reports whether there may be more to prune later.
func (u *Updater) pruneOnce(ctx context.Context) (again bool, err error) {
	found, err := u.store.get(ctx)
	if err != nil || found.object == nil {
		return false, err
	}
	if changed, more := u.pruned(&found, u.count(u.cache.allMachines(), nil)); !changed {
		return more, nil
	}
	found.marked = true
	if err = u.store.write(ctx, found); err != nil {
		return true, err
	}
	if found, err = u.store.get(ctx); err != nil || found.object == nil || !found.marked {
		return true, err
	}
	users, err := u.users(ctx)
	if err != nil {
		return true, err
	}
	changed, more := u.pruned(&found, users)
	if found.marked = false; changed {
		err = u.store.write(ctx, found)
	}
	return more, err
}

// pruned removes versions from a content. More says that there may be more to prune later.
func (u *Updater) pruned(c *content, users map[string]usage) (changed, more bool) {
	kept := map[string][]machineupdate.Hot{}
	for class, versions := range c.hots {
		_, missing := u.cache.get(u.cache.classes, class)
		isMore := len(versions) > 1
		switch of := users[class]; {
		case of.unrecorded > 0:
			kept[class], more = versions, more || isMore || missing != nil
		case of.machines == 0 && missing != nil:
			changed = true
		default:
			kept[class] = versions[max(len(versions)-1, 0):]
			changed, more = changed || isMore, more || missing != nil
		}
	}
	c.hots = kept
	return changed, more
}

// usage counts the machines that name a class.
type usage struct{ machines, unrecorded int }

// users lists the machines of the API server, by class.
func (u *Updater) users(ctx context.Context) (map[string]usage, error) {
	all := map[string]usage{}
	for options := (metav1.ListOptions{Limit: pageSize}); ; {
		page, err := u.clients.machines.List(ctx, options)
		if err != nil {
			return nil, err
		}
		machines := make([]*object, len(page.Items))
		for i := range page.Items {
			machines[i] = &page.Items[i]
		}
		all = u.count(machines, all)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}

// count adds machines to those of the classes that they name.
func (u *Updater) count(machines []*object, to map[string]usage) map[string]usage {
	names, all := u.annotations(), map[string]usage{}
	maps.Copy(all, to)
	for _, machine := range machines {
		class := text(machine, "spec", "class", "name")
		of := all[class]
		of.machines++
		if machine.GetDeletionTimestamp() == nil && !isRecorded(machine, names) {
			of.unrecorded++
		}
		all[class] = of
	}
	return all
}

// annotations returns the names of the records that an adoption writes: those of all lanes that are
// Hot.
func (u *Updater) annotations() []string {
	names := []string{machineupdate.AnnotationRecord}
	for _, lane := range u.driver().Lanes {
		isHot := func(path string) bool { return u.Schema.Holds(hotupdate.Hot, path, 0) }
		if slices.ContainsFunc(lane.Paths, isHot) {
			names = append(names, machineupdate.AnnotationRecord+"-"+lane.Name)
		}
	}
	return names
}

// isRecorded reports whether a machine has records of its own.
func isRecorded(machine *object, names []string) bool {
	providerID, annotations := text(machine, "spec", "providerID"), machine.GetAnnotations()
	return providerID != "" && !slices.ContainsFunc(names, func(name string) bool {
		var record struct {
			ProviderID string `json:"providerID"`
		}
		err := json.Unmarshal([]byte(annotations[name]), &record)
		return err != nil || record.ProviderID != providerID
	})
}

// takePrunable reports whether there may be something to prune, and forgets it.
func (s *store) takePrunable() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	was := s.prunable
	s.prunable = false
	return was
}
