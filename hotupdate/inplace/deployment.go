package inplace

import (
	"encoding/json"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MachineDeployment is an observed MachineDeployment with its machines. A worker pool has one for each
// zone.
type MachineDeployment struct {
	Target string // name of the MachineSet for the template of the MachineDeployment
	// Revision of the template, which grows with every change, also a rollback, like
	// deployment.kubernetes.io/revision.
	Revision int64
	Strategy hotupdate.Strategy
	Replicas int
	// Paused is spec.paused. The caller then creates no MachineSet for a changed template: Target
	// and Revision name the newest MachineSet. A pause stops what has not begun:
	//
	//   - Select selects no node and creates no surge machine. Next makes no node a candidate.
	//   - A node that is selected already, also by its user, waits while its condition is
	//     CandidateForUpdate. It is not cordoned or drained.
	//   - A node whose condition has reached SelectedForUpdate goes on to the end: it is drained,
	//     updated, transferred and made schedulable again. So is a candidate that is still cordoned by
	//     us. Remove SelectedLabel to stop it before its agent begins.
	//   - Machines that the pool lacks are created, for the newest MachineSet, and surplus is deleted.
	//
	// After the pause, the rollout goes on to the target that the template then has. By contrast,
	// machine-controller-manager v0.62.1 drains every selected node, transfers and uncordons no
	// node before the end of the pause, and does not scale a pool during an in-place update.
	Paused bool
	// MaxUnavailable and MaxSurge are numbers, or percentages of Replicas. They are not read if the
	// strategy is ManualInPlaceUpdate.
	MaxUnavailable, MaxSurge intstr.IntOrString
	// Record is the annotation [RolloutAnnotation] of the MachineDeployment, empty if it has none.
	Record   string
	Machines []Machine // all machines of the MachineDeployment, read after it
}

// check returns all errors in the fields that both [Next] and [Select] read.
func (d *MachineDeployment) check() (err error) {
	if d.Target == "" {
		err = misuse("no-target", "target", "is empty", "name the MachineSet of the MachineDeployment's template")
	}
	if d.Revision <= 0 {
		const hint = "give every change of the MachineDeployment's template a greater revision"
		err = errors.Join(err, misuse("no-revision", "revision", "is not above 0", hint))
	}
	if !d.Strategy.InPlace() {
		const hint = "call it only for pools with AutoInPlaceUpdate or ManualInPlaceUpdate"
		err = errors.Join(err, misuse("not-in-place", "strategy", "does not update nodes in place", hint))
	}
	return err
}

// limits resolves maxUnavailable and maxSurge as Kubernetes does for Deployments: percentages of
// unavailable machines are rounded down and percentages of surge machines up, and if both round to
// 0, one machine may be unavailable. As in Gardener, both 0 and more than 100% of unavailable
// machines are errors.
func (d *MachineDeployment) limits() (unavailable, surge int, err error) {
	if d.Replicas < 0 {
		err = misuse("negative-replicas", "replicas", "is negative", "write 0 or more")
	}
	if d.leavesToUser() {
		return d.Replicas, 0, err
	}
	unavailable, unavailableShare, unavailableErr := scaled("maxUnavailable", d.MaxUnavailable, d.Replicas, false)
	surge, surgeShare, surgeErr := scaled("maxSurge", d.MaxSurge, d.Replicas, true)
	err = errors.Join(err, unavailableErr, surgeErr)
	switch {
	case err != nil:
	case d.MaxUnavailable.Type == intstr.String && unavailableShare > 100:
		err = invalidLimit("maxUnavailable", "is above 100%", "write at most 100%")
	case unavailableShare == 0 && surgeShare == 0:
		const what = "is 0, and so is maxSurge: no machine could be updated"
		err = invalidLimit("maxUnavailable", what, "set one of them above 0")
	case unavailable == 0 && surge == 0:
		unavailable = 1
	}
	return unavailable, surge, err
}

// scaled returns a number of machines, and what it would be of 100 machines.
func scaled(path string, value intstr.IntOrString, replicas int, up bool) (n, share int, err error) {
	n, err = intstr.GetScaledValueFromIntOrPercent(&value, max(0, replicas), up)
	share, _ = intstr.GetScaledValueFromIntOrPercent(&value, 100, up)
	if err != nil || share < 0 { // -1% of 5 would be rounded to 0
		return 0, 0, invalidLimit(path, "is neither a number nor a percentage of at least 0", "write 1 or 10%")
	}
	return n, share, nil
}

func invalidLimit(path, what, hint string) error {
	return &fault.Error{Kind: fault.Invalid, Code: "invalid-limit", Path: path, What: what, Hint: hint}
}

func misuse(code, path, what, hint string) error {
	return &fault.Error{Kind: fault.Misuse, Code: code, Path: path, What: what, Hint: hint}
}

// record is the content of the annotation [RolloutAnnotation] of a MachineDeployment: machines that
// are being selected, created and deleted.
type record struct {
	Select []string `json:"select,omitempty"`
	Create []string `json:"create,omitempty"`
	Delete []string `json:"delete,omitempty"`
}

// parseRecord reads a record. An unreadable record is an error: if a promise were lost, more
// machines than allowed could become unavailable.
func parseRecord(text string) (record, error) {
	var r record
	if text == "" {
		return r, nil
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return record{}, &fault.Error{
			Kind: fault.Invalid, Code: "invalid-rollout-record", Path: RolloutAnnotation,
			What: "cannot be read", Cause: err,
			Hint: "remove the annotation from the MachineDeployment once no machine is being selected, " +
				"created or deleted",
		}
	}
	return r, nil
}

// String returns the text of the annotation, empty if the record promises nothing.
func (r record) String() string {
	if len(r.Select)+len(r.Create)+len(r.Delete) == 0 {
		return ""
	}
	text, _ := json.Marshal(r) // lists of strings
	return string(text)
}

// open drops the promises that the observed machines fulfil. Open promises are selected again.
func (r record) open(d *MachineDeployment) record {
	machines := map[string]*Machine{}
	for i := range d.Machines {
		machines[d.Machines[i].Name] = &d.Machines[i]
	}
	keep := func(names []string, isOpen func(m *Machine) bool) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isOpen(machines[name]) })
	}
	return record{
		Select: keep(r.Select, d.awaitsSelection),
		Create: keep(r.Create, func(m *Machine) bool { return m == nil }),
		Delete: keep(r.Delete, func(m *Machine) bool { return m != nil && !m.leaves() }),
	}
}

// awaitsSelection reports whether a promise to select the node of a machine is open. The machine is
// nil if it is gone.
func (d *MachineDeployment) awaitsSelection(m *Machine) bool {
	switch {
	case m == nil || m.Node == nil:
		return false
	case m.leaves() || m.Phase == phaseFailed:
		return false
	case m.Node.isSelected():
		return false
	case m.Node.isDeselected(d.Revision):
		return false
	}
	return !m.isUpdated(d)
}
