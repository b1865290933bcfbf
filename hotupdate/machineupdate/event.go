package machineupdate

// Event is something that happened to a machine, for whoever publishes events or logs.
type Event struct {
	// Type is that of a Kubernetes event: Normal or Warning.
	Type string
	// Reason is HotUpdated, HotUpdateConfirmed, HotUpdateFailed, HotUpdateUnsupported, HotUpdateRecordUnusable or HotUpdateClassUnusable.
	Reason string
	// Message is a sentence. It never quotes a value of a provider spec, unless the driver's errors do.
	Message string
}

const (
	normal  = "Normal"
	warning = "Warning"
)

// events lists what happened. Waiting, conflicts and cancellation are no events: they happen all the time.
func events(o *Observation, r *Result) []Event {
	if r.ending == canceled {
		return nil // another process will look again, and report it
	}
	list := decisionEvents(o, r)
	if r.decision.action == actUnsupported || r.ending == unable {
		list = append(list, Event{warning, "HotUpdateUnsupported", "the machine should be updated (" + r.Reason.String() + "), but the driver cannot update machines"})
	}
	//exhaustive:ignore
	switch r.ending {
	case updated:
		return append(list, Event{normal, "HotUpdated", "the machine was updated (" + r.Reason.String() + ")"})
	case confirmed:
		return append(list, Event{normal, "HotUpdateConfirmed", "the update of the machine is confirmed"})
	case callFailed:
		return append(list, Event{warning, "HotUpdateFailed", "the machine was not, or not wholly, updated: " + r.Err.Error()})
	}
	return list
}

// decisionEvents lists what is wrong with the record or the class.
func decisionEvents(o *Observation, r *Result) []Event {
	//exhaustive:ignore
	switch r.Reason {
	case RecordUnusable:
		return []Event{{warning, "HotUpdateRecordUnusable", r.decision.err.Error()}}
	case ClassDeleting:
		return []Event{{normal, "HotUpdateClassUnusable", "the class is being deleted, so its machines are not updated"}}
	case ClassUnusable:
		if o.ClassError != nil {
			return []Event{{warning, "HotUpdateClassUnusable", o.ClassError.Error()}}
		}
		return []Event{{warning, "HotUpdateClassUnusable", "the machine has no class"}}
	}
	return nil
}
