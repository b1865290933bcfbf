package machineupdate

// event is something that happened to a machine, for whoever publishes events. Type is that of a Kubernetes event. Reason is HotUpdated,
// HotUpdateConfirmed, HotUpdateFailed, HotUpdateUnsupported, HotUpdateRecordUnusable or HotUpdateClassUnusable. Message is a sentence. It never
// quotes a value of a provider spec, unless the driver's errors do.
type event struct{ Type, Reason, Message string }

const (
	normal  = "Normal"
	warning = "Warning"
)

// events lists what happened. Waiting, conflicts and cancellation are no events: they happen all the time.
func events(o *observation, d *decision, how ending, err error) []event {
	var list []event
	why := d.reason.String() + o.lane.where()
	add := func(level, reason, message string) { list = append(list, event{level, reason, message}) }
	switch {
	case d.reason == RecordUnusable:
		add(warning, "HotUpdateRecordUnusable", d.err.Error())
	case d.reason == ClassDeleting:
		add(normal, "HotUpdateClassUnusable", "the class is being deleted, so its machines are not updated")
	case d.reason == ClassUnusable && o.ClassError != nil:
		add(warning, "HotUpdateClassUnusable", o.ClassError.Error())
	}
	switch {
	case d.action == actUnsupported || how == unable:
		if o.lane.reported.Swap(true) {
			break // once for a process: it is no news of this machine
		}
		add(warning, "HotUpdateUnsupported", "the machine should be updated ("+why+"), but the driver cannot update machines")
	case how == updated:
		add(normal, "HotUpdated", "the machine was updated ("+why+")")
	case how == confirmed:
		add(normal, "HotUpdateConfirmed", "the update of the machine is confirmed ("+why+")")
	case how == callFailed || how == throttled || how == refused || how == differing:
		add(warning, "HotUpdateFailed", "the machine was not, or not wholly, updated ("+why+"): "+err.Error())
	}
	return list
}
