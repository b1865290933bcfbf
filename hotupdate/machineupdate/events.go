package machineupdate

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

const (
	normal  = "Normal"
	warning = "Warning"
)

// report is an event about a machine.
type report struct{ level, reason, message string }

// tell publishes events. They never quote a value of a provider spec unless the errors of driver
// and API server do. Waiting, conflicts and cancellation cause no events: they are frequent, and
// after a cancellation another process tries again. A refusal of the API server causes one: the
// role may lack the verb patch.
func (e *Executor[M]) tell(o *observation, result *Result[M]) {
	if e.Event == nil || result.ending == canceled {
		return
	}
	reports := []report{o.reportDecision(&result.decision)}
	if result.decision.action == actUnsupported || result.ending == unable {
		if !o.lane.reported.Swap(true) { // once for a class: it does not concern this machine alone
			reports = append(reports, o.reportUnsupported(&result.decision))
		}
	} else {
		reports = append(reports, o.reportEnding(&result.decision, result.ending, result.Err))
	}
	for _, r := range reports {
		if r.reason != "" {
			e.Event(result.Machine, r.level, r.reason, r.message)
		}
	}
}

// reportDecision reports an unusable record or class; the zero report if both are usable.
func (o *observation) reportDecision(d *decision) report {
	switch {
	case d.reason == recordUnusable:
		return report{warning, "HotUpdateRecordUnusable", d.err.Error()}
	case d.reason == classDeleting:
		return report{normal, "HotUpdateClassUnusable", "the class is being deleted, so its machines are not updated"}
	case d.reason == classUnusable && o.ClassError != nil:
		return report{warning, "HotUpdateClassUnusable", o.ClassError.Error()}
	}
	return report{}
}

func (o *observation) reportUnsupported(d *decision) report {
	class := o.Class.class.meta().GetName()
	return report{
		warning, "HotUpdateUnsupported", "the driver cannot update the machines of class " + class + o.because(d),
	}
}

// reportEnding reports how a pass ended; the zero report if people need not know.
func (o *observation) reportEnding(d *decision, how ending, err error) report {
	// Any other error of the API server may pass.
	isLastingError := apierrors.IsForbidden(err) || len(fault.All(err)) > 0
	isRefusal := apierrors.IsForbidden(err) || apierrors.IsInvalid(err)
	switch {
	case how == updated:
		return report{normal, "HotUpdated", "the machine was updated" + o.because(d)}
	case how == confirmed && d.pass.IsFull():
		return report{
			warning, "HotUpdateRecordFull",
			"the machine keeps its state: the record has no room for more" + o.because(d),
		}
	case how == confirmed:
		return report{normal, "HotUpdateConfirmed", "the update of the machine is confirmed" + o.because(d)}
	case how == unrecalled && isLastingError:
		return report{
			warning, "HotUpdateFailed",
			"the machine is not adopted: the versions of its class cannot be read: " + err.Error(),
		}
	case how == writeFailed && isRefusal:
		return report{
			warning, "HotUpdateFailed",
			"the API server refuses the record of the machine" + o.because(d) + ": " + err.Error(),
		}
	case how.isFailure():
		return report{
			warning, "HotUpdateFailed",
			"the machine was not, or not wholly, updated" + o.because(d) + ": " + err.Error(),
		}
	}
	return report{}
}

// because returns the reason of a decision in parentheses, with the lane.
func (o *observation) because(d *decision) string {
	return " (" + string(d.reason) + o.lane.where() + ")"
}
