package record

import (
	"maps"
	"slices"
	"time"
)

// Part is the request to a driver for the resources of one kind. Hot parts are canonical JSON.
type Part struct {
	Kind    string
	Applied string // the hot part of the last success; empty if unknown
	// hot parts that may be live instead; the first is {} if something was removed. Parts share the
	// slice
	Attempted []string
	Desired   string
}

// Pass is one update of one machine.
type Pass struct {
	Marker Record // the record that is written before the first write to the cloud
	Parts  []Part // one for each kind that the driver covers
	Whole  bool   // the whole wanted part is desired
	after  Record
}

// Begin returns the pass that brings a VM to the target, or to as much of it as the record has room
// for.
func (r *Record) Begin(t *Target, providerID string, now time.Time) *Pass {
	p := r.begin(t, t.limits.Entries, providerID, now)
	if p.size() > t.limits.Record {
		p = r.begin(t, 0, providerID, now) // only leaves that need no room change
	}
	return p
}

// Adopt returns the first pass of a VM without a record, which was created with one of these hot
// parts. Their leaves take none of the room of the entries. It is not ok if the annotation has no
// room for them.
func Adopt(t *Target, created []string, providerID string, now time.Time) (p *Pass, ok bool) {
	entries := entriesOf(created)
	r := Record{others: newContent("", entries)}
	p = r.begin(t, t.limits.Entries+entries.cost(), providerID, now)
	return p, p.size() <= t.limits.Record
}

// size returns the length of the longest annotation of the pass.
func (p *Pass) size() int { return max(len(p.Marker.Annotation()), len(p.after.Annotation())) }

func (r *Record) begin(t *Target, bound int, providerID string, now time.Time) *Pass {
	p := r.pass(t, func(c content) step { return c.begin(t, bound) })
	retries := 0
	if r.isRepeatedBy(t) {
		retries = min(r.Retries+1, MaxRetries)
	}
	for _, next := range []*Record{&p.Marker, &p.after} {
		next.ProviderID = providerID
		next.Creating = ""
		next.Drain = Drain{}
		next.Schema = t.schema
		next.Wanted = t.wanted
		if next.others.applied == "" {
			next.others = next.others.create(t.hot)
		}
	}
	p.Marker.State = Calling
	p.Marker.Since = wholeSeconds(now)
	p.Marker.Retries = retries
	p.after.State = Unconfirmed
	p.after.Retries = 0
	p.hint(now)
	return p
}

// isRepeatedBy reports whether a pass to the target repeats an update that has not succeeded.
func (r *Record) isRepeatedBy(t *Target) bool {
	sameHot, sameSchema := t.Wants(&r.Header)
	isUpdate := r.State == Calling && r.Creating == ""
	return isUpdate && sameHot && sameSchema
}

// Confirm returns the pass that applies the applied part once more, and settles the machine. The
// record is Unconfirmed, and was written for the target. The marker renews Since, so that a process
// with an older record gets a conflict. If more of the target fits, the settled record calls for
// another pass.
func (r *Record) Confirm(t *Target, now time.Time) *Pass {
	p := r.pass(t, func(c content) step { return c.confirm(t) })
	p.Marker.Since = wholeSeconds(now)
	p.hint(now)
	p.after.State = Settled
	if !p.Whole {
		p.after.Wanted = full + t.wanted
		next := p.after.Begin(t, r.ProviderID, now)
		if slices.ContainsFunc(next.Parts, func(p Part) bool { return p.Desired != p.Applied }) {
			p.after.Wanted = ""
		}
	}
	return p
}

// Forgotten returns the pointers, sorted, of the recorded leaves that the record after the pass's
// success no longer has. Only a pass that settles the machine forgets any.
func (p *Pass) Forgotten() []string {
	pointers := map[string]bool{}
	if p.after.State != Settled {
		return nil
	}
	for _, part := range p.Parts {
		desired := leavesOf(part.Desired)
		for _, hot := range append(slices.Clone(part.Attempted), part.Applied) {
			for at := range leavesOf(hot) {
				if _, isKept := desired[at]; !isKept {
					pointers[at.pointer] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(pointers))
}

// IsFull reports whether the record after the pass has room for nothing more of what is wanted.
func (p *Pass) IsFull() bool { return p.after.IsFull() }

// HasMore reports whether the record after the pass calls for another pass at once: the pass settles a
// part of the target, and more of the target fits.
func (p *Pass) HasMore() bool { return p.after.State == Settled && p.after.Wanted == "" }

// pass takes the same step with the content of every kind that is covered.
func (r *Record) pass(t *Target, take func(content) step) *Pass {
	p := &Pass{Whole: true}
	marker := map[string]content{}
	after := map[string]content{}
	steps := map[string]step{} // by the body of their content
	for _, kind := range t.kinds {
		c := r.of(kind)
		s, ok := steps[c.body]
		if !ok {
			s = take(c)
			steps[c.body] = s
		}
		marker[kind] = s.marker
		after[kind] = s.after
		s.part.Kind = kind
		p.Parts = append(p.Parts, s.part)
		p.Whole = p.Whole && s.whole
	}
	p.Marker = r.with(marker)
	p.after = r.with(after)
	return p
}

// MaxRefusal bounds how long a refusal is respected.
const MaxRefusal = 24 * time.Hour

// hint keeps the end of a refusal until it is past or a pass has succeeded. An end more than
// MaxRefusal ahead was recorded by a clock that was ahead, and is dropped.
func (p *Pass) hint(now time.Time) {
	p.after.NotBefore = time.Time{}
	isAhead := p.Marker.NotBefore.After(wholeSeconds(now.Add(MaxRefusal)))
	if isAhead || !p.Marker.NotBefore.After(now) {
		p.Marker.NotBefore = time.Time{}
	}
}

// Drained records for which drain of the node the pass is made.
func (p *Pass) Drained(d Drain) {
	p.Marker.Drain = d
	p.after.Drain = d
}

// Refused returns the record after a pass that the cloud refuses until a time. The pass is repeated
// once soon, because the refused change may already have been done, and then at that time.
func (p *Pass) Refused(until, now time.Time) Record {
	refused := p.Marker
	refused.Since = wholeSeconds(now)
	refused.Retries = 0
	refused.NotBefore = wholeSeconds(until)
	return refused
}

// Doubted returns the record after a confirmation that found a difference from the applied part.
func (p *Pass) Doubted(now time.Time) Record {
	doubted := p.Marker
	doubted.State = Calling
	doubted.Since = wholeSeconds(now)
	return doubted
}

// Succeeded returns the record after the success of the pass.
func (p *Pass) Succeeded(now time.Time) Record {
	after := p.after
	after.Since = wholeSeconds(now)
	return after
}
