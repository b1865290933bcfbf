package inplace

import (
	"encoding/json"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Pool is an observed MachineDeployment with its machines.
type Pool struct {
	Target                   string // name of the MachineSet for the template of the MachineDeployment
	Revision                 int64  // revision of the template, which grows with every change, also a rollback, like deployment.kubernetes.io/revision
	Strategy                 hotupdate.Strategy
	Replicas                 int
	MaxUnavailable, MaxSurge intstr.IntOrString // numbers, or percentages of Replicas; not read if the strategy is ManualInPlaceUpdate
	Record                   string             // the annotation [RolloutAnnotation] of the MachineDeployment, empty if it has none
	Machines                 []Machine          // all machines of the MachineDeployment, read after it
}

// check returns all errors in the fields that both [Next] and [Select] read.
func (p *Pool) check() error {
	var errs []error
	if p.Target == "" {
		errs = append(errs, &fault.Error{Kind: fault.Misuse, Code: "no-target", Path: "target", What: "is empty", Hint: "name the MachineSet of the MachineDeployment's template"})
	}
	if p.Revision <= 0 {
		errs = append(errs, &fault.Error{Kind: fault.Misuse, Code: "no-revision", Path: "revision", What: "is not above 0", Hint: "give every change of the MachineDeployment's template a greater revision"})
	}
	if p.Strategy != hotupdate.AutoInPlaceUpdate && p.Strategy != hotupdate.ManualInPlaceUpdate {
		errs = append(errs, &fault.Error{Kind: fault.Misuse, Code: "not-in-place", Path: "strategy", What: "does not update nodes in place", Hint: "ask for pools with AutoInPlaceUpdate or ManualInPlaceUpdate only"})
	}
	return errors.Join(errs...)
}

// limits resolves maxUnavailable and maxSurge as Kubernetes does for Deployments: percentages of unavailable machines are rounded down and
// those of surge machines up, and if both are 0, one machine may be unavailable.
func (p *Pool) limits() (unavailable, surge int, err error) {
	if p.Replicas < 0 {
		err = &fault.Error{Kind: fault.Misuse, Code: "negative-replicas", Path: "replicas", What: "is negative", Hint: "write 0 or more"}
	}
	if p.Strategy == hotupdate.ManualInPlaceUpdate {
		return p.Replicas, 0, err
	}
	unavailable, unavailableErr := scaled("maxUnavailable", p.MaxUnavailable, p.Replicas, false)
	surge, surgeErr := scaled("maxSurge", p.MaxSurge, p.Replicas, true)
	if unavailable == 0 && surge == 0 {
		unavailable = 1
	}
	return unavailable, surge, errors.Join(err, unavailableErr, surgeErr)
}

func scaled(path string, value intstr.IntOrString, replicas int, up bool) (int, error) {
	n, err := intstr.GetScaledValueFromIntOrPercent(&value, max(0, replicas), up)
	if share, _ := intstr.GetScaledValueFromIntOrPercent(&value, 100, up); err != nil || share < 0 { // -1% of 5 would be rounded to 0
		return 0, &fault.Error{Kind: fault.Malformed, Code: "invalid-limit", Path: path, What: "is neither a number nor a percentage of at least 0", Hint: "write 1 or 10%"}
	}
	return n, nil
}

// record is the content of the annotation [RolloutAnnotation] of a MachineDeployment: machines that are being selected, created and deleted.
type record struct {
	Select []string `json:"select,omitempty"`
	Create []string `json:"create,omitempty"`
	Delete []string `json:"delete,omitempty"`
}

// parseRecord reads a record. An unreadable record is an error: if a promise were lost, one machine too many could be taken.
func parseRecord(text string) (record, error) {
	var r record
	if text == "" {
		return r, nil
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return record{}, &fault.Error{
			Kind: fault.Malformed, Code: "invalid-rollout-record", Path: RolloutAnnotation, What: "cannot be read", Cause: err,
			Hint: "once no machine is being selected, created or deleted, remove the annotation from the MachineDeployment",
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
func (r record) open(p *Pool) record {
	machines := map[string]*Machine{}
	for i := range p.Machines {
		machines[p.Machines[i].Name] = &p.Machines[i]
	}
	keep := func(names []string, isOpen func(m *Machine) bool) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isOpen(machines[name]) })
	}
	return record{
		Select: keep(r.Select, func(m *Machine) bool {
			return m != nil && m.Node != nil && !m.leaves() && !m.Node.isSelected() && !m.isUpdated(p)
		}),
		Create: keep(r.Create, func(m *Machine) bool { return m == nil }),
		Delete: keep(r.Delete, func(m *Machine) bool { return m != nil && !m.leaves() }),
	}
}
