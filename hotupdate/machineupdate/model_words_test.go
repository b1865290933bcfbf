package machineupdate_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// This file puts states and events of the model into words, for traces.

func (m *model) describe(w *world) string {
	var text strings.Builder
	fmt.Fprintf(&text, "class %v, cloud %v %v", w.class, w.live[0], w.live[1])
	if !w.vm {
		text.WriteString(" (no VM)")
	}
	text.WriteString([...]string{phaseNew: ", phase empty", phaseRunning: "", phaseDoomed: ", doomed"}[w.phase])
	text.WriteString([...]string{readable: "", unreadable: ", class unreadable", replaced: ", class replaced"}[w.classState])
	text.WriteString([...]string{incapable: ", incapable driver", claiming: ", driver that claims to be able", capable: ""}[w.ability])
	if w.revision == 0 {
		text.WriteString(" of the first kind only")
	}
	if w.cold {
		text.WriteString(", nothing is hot")
	}
	if w.paused {
		text.WriteString(", paused")
	}
	fmt.Fprintf(&text, ", record %s", m.summary(w.record))
	for i, q := range w.late {
		if q != 0 {
			fmt.Fprintf(&text, ", late %d: %s", i, q)
		}
	}
	for _, version := range w.stored.list() {
		text.WriteString(", stored " + version.String())
	}
	for i, p := range w.process {
		if p.at != 0 {
			fmt.Fprintf(&text, ", %s %s", processNames[i], m.next(p))
		}
	}
	return text.String()
}

var processNames = [2]string{"leader", "second leader"}

// next describes the next step of a process.
func (m *model) next(p process) string {
	n := m.node(p.at)
	switch n.does {
	case quiescent, waits:
		return "is quiescent"
	case writes:
		return "writes " + m.summary(n.record)
	case calls:
		return "calls for resource " + strconv.Itoa(int(p.resource)+1)
	case creates:
		return "creates with " + n.spec.String()
	case initializes:
		return "initializes with " + n.spec.String()
	case stores:
		return "stores " + n.spec.String()
	case reports:
	}
	return "reports"
}

// summary returns a record without IDs and times.
func (m *model) summary(id recordID) string {
	if id == 0 {
		return "none"
	}
	r := m.memories[id]
	var text strings.Builder
	text.WriteString(r.State.String())
	if r.State == record.Unconfirmed && r.Since.Equal(modelNow) {
		text.WriteString(" just now")
	}
	if r.ProviderID != "i-1" && r.Creating != "m" {
		text.WriteString(" of another machine")
	}
	if s, ok := m.wanted[r.Wanted]; ok {
		text.WriteString(" wanted " + s.String())
	}
	for i, c := range r.contents {
		if i > 0 && c == r.contents[0] {
			continue
		}
		text.WriteString([...]string{"", "; second kind:", "; other kinds:"}[i])
		if c.known {
			text.WriteString(" applied " + c.applied.String())
		}
		for key, name := range keyNames {
			for value := range uint8(alien) {
				if c.values[key]&(1<<value) != 0 {
					text.WriteString(" or " + name + "=" + valueNames[value])
				}
			}
		}
	}
	return text.String()
}

func (q request) String() string {
	if q&requestCreate != 0 {
		return "create with " + tagset(q&15).String()
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

// eventTexts are the texts of events: %p is the process, %r the resource, %q the request, %k the key, %v the value, %s
// the spec, %w the record, %d the lag.
var eventTexts = [...]string{
	reconciles: "%p reconciles%d", missesVM: "%p reads that there is no VM", writesRecord: "%p writes %w",
	sleeps:      "%p writes %w, and sleeps for ConfirmAfter",
	losesAnswer: "%p writes %w, and gets no answer", crashes: "%p crashes",
	lands: "%p: resource %r: %q", landsAndFails: "%p: resource %r: %q, and then fails or crashes", fails: "%p: the driver fails",
	isLate: "%p: times out: %q", answersUnimplemented: "the driver returns ErrUnimplemented", asksForMarker: "%p: resource %r needs %q",
	conflicts: "%p gets a conflict", createsVM: "%p: %q",
	initializesVM: "%p initializes the VM: %q", reportsVM: "%p writes provider ID and status", classChanges: "the class changes to %s",
	timePasses: "ConfirmAfter passes", lateLands: "a late request lands: %q", lateDies: "a late request dies: %q",
	somebodyEdits: "somebody edits resource %x, key %k: %v", somebodyWrites: "somebody else writes to the machine",
	leaseIsLost: "the lease is lost to a second leader",
	callHangs:   "the leader's call ignores the end of its term, and the next term begins", migrates: "the control plane migrates",
	driverLearns:      "the driver learns to update",
	driverLearnsDisks: "the driver learns of the second resource", driverForgets: "the driver forgets how to update",
	driverForgetsDisks: "the driver forgets the second resource", schemaChanges: "another release knows other fields as hot",
	clockIsAhead:     "%p, whose clock is far ahead, writes %w",
	backupIsRestored: "a backup is restored", machineIsDoomed: "the machine fails or is deleted",
	classIsAnother: "the class is read in another way",
	operatorPauses: "the operator pauses updates", operatorResumes: "the operator resumes updates",
	storesVersion: "%p stores the version %s", forgetsVersions: "versions of the class are forgotten",
}

func (m *model) say(e event) string {
	value := func(values []string, i int) string {
		if i < len(values) {
			return values[i]
		}
		return "?"
	}
	lag := ""
	if e.what == reconciles && e.b > 0 {
		lag = fmt.Sprintf(", with the record %d versions old", e.b)
	}
	if e.what == reconciles && e.c > 0 {
		lag += fmt.Sprintf(", with the class %d versions old", e.c)
	}
	written := ""
	if int(e.c) < len(m.records.values) {
		written = m.summary(recordID(e.c))
	}
	return strings.NewReplacer(
		"%p", value(processNames[:], int(e.a)), "%r", strconv.Itoa(int(e.b&15)+1), "%x", strconv.Itoa(int(e.a)+1), "%q",
		request(e.c).String(),
		"%k", value(keyNames[:], int(e.b)), "%v", fmt.Sprintf("%q", value(valueNames[:], int(e.c))), "%s", tagset(e.c).String(), "%w",
		written, "%d", lag,
	).Replace(eventTexts[e.what])
}
