package machineupdate

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

const (
	normal  = "Normal"
	warning = "Warning"
)

// tell publishes events. They never quote a value of a provider spec unless the errors of driver
// and API server do. Waiting, conflicts and cancellation cause no events: they are frequent, and
// after a cancellation another process tries again. A refusal of the API server causes one: the
// role may lack the verb patch.
func (e *Executor[M]) tell(o *observation, result *Result[M]) {
	d, how, err, why := &result.decision, result.ending, result.Err, string(result.decision.reason)+o.lane.where()
	if e.Event == nil || how == canceled {
		return
	}
	tell := func(level, reason, message string) { e.Event(result.Machine, level, reason, message) }
	switch {
	case d.reason == recordUnusable:
		tell(warning, "HotUpdateRecordUnusable", d.err.Error())
	case d.reason == classDeleting:
		tell(normal, "HotUpdateClassUnusable", "the class is being deleted, so its machines are not updated")
	case d.reason == classUnusable && o.ClassError != nil:
		tell(warning, "HotUpdateClassUnusable", o.ClassError.Error())
	}
	switch {
	case d.action == actUnsupported || how == unable:
		if o.lane.reported.Swap(true) {
			break // once for a class: it does not concern this machine alone
		}
		class := o.Class.class.meta().GetName()
		tell(warning, "HotUpdateUnsupported", "the driver cannot update the machines of class "+class+" ("+why+")")
	case how == updated:
		tell(normal, "HotUpdated", "the machine was updated ("+why+")")
	case how == confirmed && d.pass.IsFull():
		tell(warning, "HotUpdateRecordFull", "the machine keeps its state: the record has no room for more ("+why+")")
	case how == confirmed:
		tell(normal, "HotUpdateConfirmed", "the update of the machine is confirmed ("+why+")")
	case how == unrecalled && (apierrors.IsForbidden(err) || len(fault.All(err)) > 0): // no passing error
		tell(warning, "HotUpdateFailed",
			"the machine is not adopted: the versions of its class cannot be read: "+err.Error())
	case how == writeFailed && (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)):
		tell(warning, "HotUpdateFailed", "the API server refuses the record of the machine ("+why+"): "+err.Error())
	case how == callFailed || how == panicked || how == throttled || how == refused || how == differing:
		tell(warning, "HotUpdateFailed", "the machine was not, or not wholly, updated ("+why+"): "+err.Error())
	}
}
