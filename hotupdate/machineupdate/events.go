package machineupdate

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

const (
	normal  = "Normal"
	warning = "Warning"
)

// report is an event about a machine.
type report struct{ level, reason, message string }

// tell publishes events. They never quote a value of a provider spec unless the errors of driver
// and API server do. Waiting, ordinary conflicts and cancellation cause no events: they are frequent,
// and after a cancellation another process tries again. A refusal of the API server causes one: the
// role may lack the verb patch. So does any other fault of the API server that lasts.
func (e *Executor[M]) tell(o *observation, result *Result[M]) {
	if e.Event == nil || result.ending == canceled || result.ending == backingOff {
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
	switch {
	case result.lasting:
		reports = append(reports, o.reportLasting(result.decision.reason, result.ending, result.Err))
	case result.ending.isFutile():
		reports = append(reports, o.reportFutile(result.decision.reason, result.ending, result.Err))
	}
	for _, r := range reports {
		if r.reason == "" {
			continue
		}
		cause := string(apierrors.ReasonForError(result.Err)) + o.notDone(result.Err)
		what := string(result.ending) + " " + r.reason + " " + cause
		if !result.ending.isFutile() || e.Memory.isNews(o, what) {
			e.Event(result.Machine, r.level, r.reason, r.message)
		}
	}
}

// notDone identifies a partial update: the resources that the driver could not update, the class,
// and the cause.
func (o *observation) notDone(err error) string {
	problem, _ := errors.AsType[*PartialError](err)
	if problem == nil {
		return ""
	}
	class := o.Class.class.key() + string(o.Class.class.ProviderSpec)
	return fmt.Sprint(problem.NotDone, maphash.String(seedOfTold, class), wordsOf(problem))
}

// seedOfTold is the seed for hashes of classes: the memory of reported faults keeps hashes instead
// of whole classes.
var seedOfTold = maphash.MakeSeed()

// wordsOf returns the words of an error that have no digit, sorted: times, the IDs of requests, and the order of the
// errors of resources differ each time.
func wordsOf(err error) []string {
	words := strings.Fields(err.Error())
	hasDigit := func(word string) bool { return strings.ContainsAny(word, "0123456789") }
	return slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(words, hasDigit))))
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
	what := "the driver cannot update the machines of class " + class + o.because(d.reason)
	return report{warning, "HotUpdateUnsupported", what}
}

// reportEnding reports how a pass ended; the zero report if people need not know.
func (o *observation) reportEnding(d *decision, how ending, err error) report {
	switch {
	case how == updated:
		return report{normal, "HotUpdated", "the machine was updated" + o.because(d.reason)}
	case how == confirmed && d.pass.IsFull():
		return report{
			warning, "HotUpdateRecordFull",
			"the machine keeps its state: the record has no room for more" + o.because(d.reason) + forgotten(d.pass),
		}
	case how == confirmed:
		what := "the update of the machine is confirmed" + o.because(d.reason)
		return report{normal, "HotUpdateConfirmed", what + forgotten(d.pass)}
	case how.isFailure():
		return report{
			warning, "HotUpdateFailed",
			"the machine was not, or not wholly, updated" + o.because(d.reason) + ": " + err.Error(),
		}
	}
	return report{}
}

// reportFutile reports a pass that ended without a record; the zero report if the cause may be
// temporary or lies in the cloud.
func (o *observation) reportFutile(why Reason, how ending, err error) report {
	isForbidden := apierrors.IsForbidden(err)
	isFault := len(fault.All(err)) > 0
	//exhaustive:ignore
	switch how {
	case unrecalled:
		if isForbidden || isFault {
			return o.reportUnrecalled(err)
		}
	case writeFailed:
		if isForbidden || apierrors.IsInvalid(err) {
			return o.reportRefused(why, err)
		}
	}
	return report{}
}

// reportLasting reports a fault that has lasted for several passes; the zero report if the cause
// lies in the cloud.
func (o *observation) reportLasting(why Reason, how ending, err error) report {
	//exhaustive:ignore
	switch how {
	case unrecalled:
		return o.reportUnrecalled(err)
	case writeFailed, conflicted:
		return o.reportRefused(why, err)
	}
	return report{}
}

func (o *observation) reportUnrecalled(err error) report {
	const what = "the machine is not adopted: the versions of its class cannot be read: "
	return report{warning, "HotUpdateFailed", what + err.Error()}
}

func (o *observation) reportRefused(why Reason, err error) report {
	what := "the API server refuses the record of the machine" + o.because(why) + ": "
	return report{warning, "HotUpdateFailed", what + err.Error()}
}

// maxForgotten is how many leaves an event names.
const maxForgotten = 20

// forgotten names the leaves that a pass that settles the machine forgets. Their values are not shown.
func forgotten(pass *record.Pass) string {
	all := pass.Forgotten()
	if len(all) == 0 {
		return ""
	}
	more := ""
	if len(all) > maxForgotten {
		more = " and " + strconv.Itoa(len(all)-maxForgotten) + " more"
		all = all[:maxForgotten]
	}
	return ": no longer recorded are " + strings.Join(all, ", ") + more
}

// because returns a clause with the reason of a decision in parentheses and the lane.
func (o *observation) because(why Reason) string {
	return " (" + string(why) + o.lane.where() + ")"
}
