package machineupdate

// Event is something that happened to a machine, for whoever publishes events or logs.
type Event struct {
	Type string // that of a Kubernetes event: Normal or Warning
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
	var list []Event
	add := func(level, reason, message string) { list = append(list, Event{level, reason, message}) }
	switch {
	case r.Reason == RecordUnusable:
		add(warning, "HotUpdateRecordUnusable", r.decision.err.Error())
	case r.Reason == ClassDeleting:
		add(normal, "HotUpdateClassUnusable", "the class is being deleted, so its machines are not updated")
	case r.Reason == ClassUnusable && o.ClassError != nil:
		add(warning, "HotUpdateClassUnusable", o.ClassError.Error())
	case r.Reason == ClassUnusable:
		add(warning, "HotUpdateClassUnusable", "the machine has no class")
	}
	switch {
	case r.decision.action == actUnsupported || r.ending == unable:
		add(warning, "HotUpdateUnsupported", "the machine should be updated ("+r.Reason.String()+"), but the driver cannot update machines")
	case r.ending == updated:
		add(normal, "HotUpdated", "the machine was updated ("+r.Reason.String()+")")
	case r.ending == confirmed:
		add(normal, "HotUpdateConfirmed", "the update of the machine is confirmed")
	case r.ending == callFailed:
		add(warning, "HotUpdateFailed", "the machine was not, or not wholly, updated: "+r.Err.Error())
	}
	return list
}
