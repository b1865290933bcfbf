package machineupdate_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// This file puts states and events of the model into words, for traces.

func (m *model) describe(w *world) string {
	var text strings.Builder
	fmt.Fprintf(&text, "class %v, cloud %v %v", w.class, w.live[0], w.live[1])
	if !w.vm {
		text.WriteString(" (no VM)")
	}
	if !w.running {
		text.WriteString(", phase empty")
	}
	fmt.Fprintf(&text, ", record %s", m.brief(w.record))
	for i, q := range w.late {
		if q != 0 {
			fmt.Fprintf(&text, ", late %d: %s", i, q)
		}
	}
	for i, p := range w.process {
		if p.stage != idle {
			fmt.Fprintf(&text, ", %s %s", processNames[i], stageNames[p.stage])
		}
	}
	return text.String()
}

var processNames = [2]string{"leader", "second leader"}

var stageNames = [...]string{
	idle: "idle", decided: "has decided", calling: "calls for resource 1", calling2: "calls for resource 2", succeeded: "was successful",
	unable: "got Unimplemented", creating: "creates", initializing: "initializes", initialized: "has initialized", repairing: "initializes the VM found",
	reporting: "reports",
}

// brief is a record without IDs and times.
func (m *model) brief(id recordID) string {
	if id == 0 {
		return "none"
	}
	r := m.parse(id)
	var text strings.Builder
	text.WriteString(r.State.String())
	if r.State == machineupdate.Unconfirmed && r.Since.Equal(modelNow) {
		text.WriteString(" just now")
	}
	if r.Applied != "" {
		text.WriteString(" applied " + tagsetOf(m.tb, r.Applied).String())
	}
	if len(r.Attempted) > 0 {
		text.WriteString(" attempted")
		for _, hot := range r.Attempted {
			text.WriteString(" " + tagsetOf(m.tb, hot).String())
		}
	}
	return text.String()
}

func (q request) String() string {
	if q&requestCreate != 0 {
		return "create with " + tagset(q&requestTags).String()
	}
	var parts []string
	for key, name := range keyNames {
		if set := q.set(key); set != 0 {
			parts = append(parts, "set "+name+"="+valueNames[set])
		}
		for value := uint8(1); value <= alien; value++ {
			if q.removes(key)&(1<<(value-1)) != 0 {
				parts = append(parts, "remove "+name+" if "+valueNames[value])
			}
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// happenings say what an event is; %p is the process, %r the resource, %q the request, %k the key, %v the value, %s the spec.
var happenings = [...]string{
	reconciles: "%p decides", reconcilesLate: "%p decides by the former class", reconcilesStale: "%p decides by the former record",
	missesVM: "%p reads that there is no VM", writesMarker: "%p writes the marker", crashes: "%p crashes", finds: "%p finds the VM",
	lands: "%p: resource %r: %q", landsAndFails: "%p: resource %r: %q, and then fails or crashes", fails: "%p: the driver fails",
	isLate: "%p: times out: %q", answersUnimplemented: "the driver returns ErrUnimplemented", writesSuccess: "%p writes the success",
	conflicts: "%p gets a conflict", restores: "%p restores the previous record", creates: "%p creates the VM",
	initializes: "%p initializes the VM: %q", reports: "%p writes provider ID and status", classChanges: "the class changes to %s",
	timePasses: "ConfirmAfter passes", lateLands: "a late request lands: %q", lateDies: "a late request dies: %q",
	somebodyEdits: "somebody edits resource %x, key %k: %v", somebodyWrites: "somebody else writes to the machine",
	leaseIsLost: "the lease is lost to a second leader", migrates: "the control plane migrates", driverLearns: "the driver learns to update",
	driverLearnsDisks: "the driver learns of the second resource",
}

func (m *model) say(e event) string {
	if e.what == writesMarker && e.b == 1 {
		return processNames[e.a] + " writes no marker"
	}
	value := func(values []string, i int) string {
		if i < len(values) {
			return values[i]
		}
		return "?"
	}
	return strings.NewReplacer(
		"%p", value(processNames[:], int(e.a)), "%r", strconv.Itoa(int(e.b&15)+1), "%x", strconv.Itoa(int(e.a)+1), "%q", request(e.c).String(),
		"%k", value(keyNames[:], int(e.b)), "%v", fmt.Sprintf("%q", value(valueNames[:], int(e.c))), "%s", tagset(e.c).String(),
	).Replace(happenings[e.what])
}
