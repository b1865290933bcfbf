package machineupdate

import "strconv"

// Severity says how much an event matters. The zero value is Normal.
type Severity uint8

// The severities, with the names of the types of Kubernetes' events.
const (
	Normal Severity = iota
	Warning
)

// String returns the type of a Kubernetes event.
func (s Severity) String() string {
	switch s {
	case Normal:
		return "Normal"
	case Warning:
		return "Warning"
	}
	return "Severity(" + strconv.Itoa(int(s)) + ")"
}

// Event is something that happened to a machine, for whoever publishes events or logs.
type Event struct {
	Severity Severity
	// Reason is a word in Kubernetes' style, such as HotUpdateFailed.
	Reason string
	// Message is a sentence. It never quotes a value of a provider spec, unless the driver's errors do.
	Message string
}

// The reasons of events.
const (
	EventUpdated     = "HotUpdated"
	EventConfirmed   = "HotUpdateConfirmed"
	EventFailed      = "HotUpdateFailed"
	EventUnsupported = "HotUpdateUnsupported"
	EventRecord      = "HotUpdateRecordUnusable"
	EventClass       = "HotUpdateClassUnusable"
)

// events lists what happened. Waiting, conflicts and cancellation are no events: they happen all the time.
func events(o *Observation, r *Result) []Event {
	if r.Outcome == Canceled {
		return nil // whoever looks again will say it
	}
	list := decisionEvents(o, &r.Decision)
	if r.Decision.Action == Unsupported || r.Outcome == Unable {
		list = append(list, Event{Warning, EventUnsupported, "the machine should be updated (" + r.Decision.Reason.String() + "), but the driver cannot update machines"})
	}
	//exhaustive:ignore
	switch r.Outcome {
	case Updated:
		return append(list, Event{Normal, EventUpdated, "the machine was updated (" + r.Decision.Reason.String() + ")"})
	case Confirmed:
		return append(list, Event{Normal, EventConfirmed, "the update of the machine is confirmed"})
	case CallFailed:
		return append(list, Event{Warning, EventFailed, "the machine was not, or not wholly, updated: " + r.Err.Error()})
	}
	return list
}

// decisionEvents lists what is wrong with the record or the class.
func decisionEvents(o *Observation, d *Decision) []Event {
	//exhaustive:ignore
	switch d.Reason {
	case RecordUnusable:
		return []Event{{Warning, EventRecord, d.Err.Error()}}
	case ClassDeleting:
		return []Event{{Normal, EventClass, "the class is being deleted, so its machines are not updated"}}
	case ClassUnusable:
		if o.ClassError != nil {
			return []Event{{Warning, EventClass, o.ClassError.Error()}}
		}
		return []Event{{Warning, EventClass, "the machine has no class"}}
	}
	return nil
}
