package machineupdate

import (
	"maps"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate"
)

// What the tests know of the record, the decision and the passes.
type (
	Record = record
	State  = state
	Action = action
	Ending = ending
	Pass   = pass
	Patch  = patch

	// Observed is an Observation, and Seen its machine, as decisions read them.
	Observed = observation
	Seen     = machine

	// Decision is a decision with fields that tests can read.
	Decision struct {
		Action Action
		Reason Reason
		Delay  time.Duration
		Err    error
		Pass   *Pass
	}
)

const (
	Settled     = settled
	Calling     = calling
	Unconfirmed = unconfirmed

	None        = actNone
	Wait        = actWait
	Unsupported = actUnsupported
	Update      = actUpdate
	Confirm     = actConfirm

	NotCalled     = notCalled
	Denied        = denied
	Conflicted    = conflicted
	WriteFailed   = writeFailed
	Canceled      = canceled
	CallFailed    = callFailed
	CallThrottled = throttled
	Unable        = unable
	Gone          = gone
	Updated       = updated
	Confirmed     = confirmed

	MaxAttempted   = maxAttempted
	MaxHotPart     = maxHotPart
	MaxLeaves      = maxLeaves
	MaxLastApplied = maxLastApplied
)

func (a action) String() string { return actionNames[a] }
func (e ending) String() string { return endingNames[e] }

func ParseRecord(annotation string) (Record, error) { return parseRecord(annotation) }

// SetNow is what an Executor does first.
func (o *observation) SetNow(now time.Time) { o.now = now }

func Decide(o Observed) Decision { return exported(decide(&o)) }

// DecideAt decides at a time.
func DecideAt(now time.Time, o Observed) Decision {
	o.now = now
	return Decide(o)
}

func exported(d decision) Decision { return Decision{d.action, d.reason, d.delay, d.err, d.pass} }

// DecisionOf and EndingOf tell what led to a result.
func DecisionOf(r interface{ why() decision }) Decision { return exported(r.why()) }
func EndingOf(r interface{ how() ending }) Ending       { return r.how() }

func (r Result[M]) why() decision { return r.decision }
func (r Result[M]) how() ending   { return r.ending }

func BeginCreation(o Observed) *Creation { return beginCreation(&o) }

func (c *Creation) AboutToCall() Patch { return c.pass.aboutToCall() }

func (c *Creation) Created(providerID, version string, now time.Time) Patch {
	return c.created(providerID, version, now)
}

func (p *pass) Marker() Record                                { return p.marker }
func (p *pass) AboutToCall() Patch                            { return p.aboutToCall() }
func (p *pass) Succeeded(version string, now time.Time) Patch { return p.succeeded(version, now) }
func (p *pass) Settled(version string, now time.Time) Patch   { return p.settled(version, now) }
func (p *pass) RestorePrevious(version string) Patch          { return p.restorePrevious(version) }
func (p *pass) Request() *UpdateMachineRequest                { return p.request() }

func (p *Prepared) Class() MachineClass { return p.class }
func (p *Prepared) Hot() Hot            { return p.hot }
func (p *Prepared) Schema() string      { return p.schema }

// Restart makes the class that of a process which knows of no driver that it cannot update.
func (p *Prepared) Restart() { p.ability = &ability{} }

// Spread is the jitter of denials.
func Spread(d time.Duration, text string) time.Duration { return spread(d, text) }

// Ask and Done are what an Executor does before and after an update.
func (l *Limiter) Ask(key LimitKey, reason Reason, now time.Time) bool {
	return l.begin(key, reason, now)
}
func (l *Limiter) Done(key LimitKey) { l.end(key) }

// Ended returns how often a reconcile ended so.
func (c *Counters) Ended(how Ending) uint64 { return c.endings[how].Load() }

// Decided returns how often an action was decided for a reason.
func (c *Counters) Decided(action Action, reason Reason) uint64 {
	return c.decisions[action][reason].Load()
}

// MergePatch is the write as the API server gets it.
func (p patch) MergePatch() ([]byte, error) { return p.mergePatch() }

// Apply changes annotations as the write does. It returns a new map.
func (p patch) Apply(annotations map[string]string) map[string]string {
	after := make(map[string]string, len(annotations)+len(p.Set))
	maps.Copy(after, annotations)
	for _, name := range p.Remove {
		delete(after, name)
	}
	maps.Copy(after, p.Set)
	return after
}

func Prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (*Prepared, error) {
	return prepare(class, schema, driver)
}

// Text is the digest as a record has it.
func (d Digest) Text() string { return d.text() }
