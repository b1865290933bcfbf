package machineupdate

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// Access of the tests to the record, the decision and the passes.
type (
	// Patch is a write to a Machine, as an API server reads it.
	Patch struct {
		Machine string `json:"-"` // its name
		patch
	}

	// Observed is an Observation for decisions.
	Observed struct {
		Machine    Seen
		Settings   Settings
		Class      *PreparedClass
		ClassError error
		Secret     map[string][]byte

		lane string
		now  time.Time
	}

	// Seen is what decisions read of a Machine.
	Seen struct {
		Name            string
		UID             types.UID
		ResourceVersion string
		ProviderID      string
		Phase           string
		Deleting        bool
		Annotations     map[string]string
	}

	// Pass is the pass of a decision.
	Pass struct {
		*record.Pass
		of *observation
	}

	// Decision is a decision with fields that tests can read.
	Decision struct {
		Action string
		Reason string
		Delay  time.Duration
		Err    error
		Pass   *Pass
	}
)

// Kind is the kind that the tests' driver covers.
const Kind = "vm"

// Record is a record in which every kind has the same content.
type Record struct {
	record.Header
	Applied   HotSpec
	Attempted []HotSpec // values that may be live
	Removed   []HotSpec // absences, as null
}

// ParseRecord reads the content of Kind, independently of the code under test.
func ParseRecord(annotation string) (Record, error) {
	parsed, err := record.Parse(annotation)
	if err != nil {
		return Record{}, err
	}
	var w struct {
		Parts []struct {
			Kinds              []string
			Applied            json.RawMessage
			Attempted, Removed []json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(annotation), &w); err != nil {
		return Record{}, err
	}
	content := w.Parts[len(w.Parts)-1]
	for _, part := range w.Parts {
		if slices.Contains(part.Kinds, Kind) {
			content = part
		}
	}
	r := Record{Header: parsed.Header, Applied: HotSpec(content.Applied)}
	for _, hot := range content.Attempted {
		r.Attempted = append(r.Attempted, HotSpec(hot))
	}
	for _, hot := range content.Removed {
		r.Removed = append(r.Removed, HotSpec(hot))
	}
	return r, nil
}

// Annotation writes the record. If Wanted is not set, it is the last attempted part of a Calling record, or else the applied part.
func (r Record) Annotation() string {
	if r.Wanted == "" {
		r.Wanted = WantedOf(r.Applied)
		if r.State == record.Calling && len(r.Attempted) > 0 {
			r.Wanted = WantedOf(r.Attempted[len(r.Attempted)-1])
		}
	}
	var members []string
	if r.Applied != "" {
		members = append(members, `"applied":`+string(r.Applied))
	}
	for name, hots := range map[string][]HotSpec{"attempted": r.Attempted, "removed": r.Removed} {
		if len(hots) > 0 {
			texts := make([]string, len(hots))
			for i, hot := range hots {
				texts[i] = string(hot)
			}
			members = append(members, `"`+name+`":[`+strings.Join(texts, ",")+`]`)
		}
	}
	slices.Sort(members)
	empty := (&record.Record{Header: r.Header}).Annotation()
	return strings.TrimSuffix(empty, `{}]}`) + "{" + strings.Join(members, ",") + `}]}`
}

// WantedOf is the digest of a hot part in records.
func WantedOf(hot HotSpec) string {
	empty := record.Record{Header: record.Header{ProviderID: "i"}}
	marker := empty.Begin(record.NewTarget(string(hot), "", nil, nil, record.Limits{}), "i", time.Time{}).Marker
	return marker.Wanted
}

// SetNow sets the time, like an Executor.
func (o *Observed) SetNow(now time.Time) { o.now = now }

// SetLane makes the observation one for a lane of its class.
func (o *Observed) SetLane(name string) { o.lane = name }

func (o *Observed) Lane() string { return o.lane }

// Observation is the machine and the observation as a caller passes them.
func (o *Observed) Observation() (*metav1.PartialObjectMetadata, Observation) {
	seen := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: o.Machine.Name, UID: o.Machine.UID, ResourceVersion: o.Machine.ResourceVersion, Annotations: o.Machine.Annotations,
	}}
	if o.Machine.Deleting {
		seen.DeletionTimestamp = &metav1.Time{}
	}
	return seen, Observation{
		ProviderID: o.Machine.ProviderID, Phase: o.Machine.Phase, Settings: o.Settings, Class: o.Class, ClassError: o.ClassError,
		Secret: o.Secret,
	}
}

// Decider returns the decision about a lane of the machine, without what a caller allocates for the observation.
func Decider(o Observed) func() Decision {
	seen, observed := o.Observation()
	at := observed.at(o.now, seen, nil)
	for i, lanes := 0, lanesOf(o.Class); i < len(lanes) && o.Class != nil; i++ {
		if lanes[i].name == o.lane {
			at.lane = &lanes[i]
		}
	}
	return func() Decision { return exported(at, decide(at)) }
}

func Decide(o Observed) Decision { return Decider(o)() }

// DecideAt decides at a time.
func DecideAt(now time.Time, o Observed) Decision {
	o.now = now
	return Decide(o)
}

func exported(o *observation, d decision) Decision {
	shown := Decision{string(d.action), string(d.reason), d.delay, d.err, nil}
	if d.pass != nil {
		shown.Pass = &Pass{d.pass, o}
	}
	return shown
}

// DecisionOf and EndingOf return the decision and the ending of a result.
func DecisionOf(r interface{ why() decision }) Decision { return exported(nil, r.why()) }
func EndingOf(r interface{ how() ending }) string       { return string(r.how()) }

func (r Result[M]) why() decision { return r.decision }
func (r Result[M]) how() ending   { return r.ending }

// Marker is the content of Kind in the marker.
func (p *Pass) Marker() Record {
	r, err := ParseRecord(p.Pass.Marker.Annotation())
	if err != nil {
		panic(err)
	}
	return r
}

func (p *Pass) AboutToCall() Patch {
	return Patch{patch: patch{Annotations: p.of.annotated(p.Pass.Marker)}}
}
func (p *Pass) Request() *UpdateMachineRequest { return p.of.request(p.Pass) }

// JSON is the hot part as JSON.
func (h HotSpec) JSON() json.RawMessage { return json.RawMessage(cmp.Or(h, "null")) }

func (p *PreparedClass) Class() MachineClass { return p.class }
func (p *PreparedClass) Hot() HotSpec        { return HotSpec(p.lanes[0].target.Hot()) }

// Schema is a record's part about Schema and driver.
func (p *PreparedClass) Schema() string {
	empty := record.Record{Header: record.Header{ProviderID: "i"}}
	marker := empty.Begin(p.lanes[0].target, "i", time.Time{}).Marker
	return marker.Schema
}

// Restart forgets that the driver of the class cannot update, like a new process.
func (p *PreparedClass) Restart() { p.lanes[0].ability = &ability{} }

// Ask and Done are an Executor's calls of a Limiter before and after an update.
func (l *Limiter) Ask(reason Reason, now time.Time) bool { return l.begin(reason, now) }
func (l *Limiter) Done()                                 { l.end() }

// MergePatch returns the write as a merge patch.
func (p Patch) MergePatch() ([]byte, error) {
	return json.Marshal(map[string]patch{"metadata": p.patch})
}

// Set returns the annotations that the write sets.
func (p Patch) Set() map[string]string { return p.Apply(nil) }

// Apply applies the write to annotations. It returns a new map.
func (p Patch) Apply(annotations map[string]string) map[string]string {
	after := map[string]string{}
	maps.Copy(after, annotations)
	for name, value := range p.Annotations {
		if delete(after, name); value != nil {
			after[name] = *value
		}
	}
	return after
}

func Prepare(class MachineClass, schema *hotupdate.Schema, driver Driver) (*PreparedClass, error) {
	driver.Schema = schema
	return prepare(class, driver)
}

// Disable records that the driver of the class has just returned Unimplemented.
func (o *Observed) Disable() {
	for i := range o.Class.lanes {
		o.Class = o.Class.DisableLane(i, o.now)
	}
}

// DisableLane records that the driver has returned Unimplemented for a lane.
func (p *PreparedClass) DisableLane(i int, at time.Time) *PreparedClass {
	disabled := *p
	disabled.lanes = slices.Clone(p.lanes)
	disabled.lanes[i].ability = &ability{}
	disabled.lanes[i].unable.Store(&at)
	return &disabled
}

// PrepareBounded is Prepare with another bound for the entries of records, in bytes, unless that is zero.
func PrepareBounded(class MachineClass, schema *hotupdate.Schema, driver Driver, bound int) (*PreparedClass, error) {
	p, err := Prepare(class, schema, driver)
	if err != nil || bound == 0 {
		return p, err
	}
	limits, _ := record.LimitsOf(0)
	limits.Entries = bound
	first := &p.lanes[0]
	isHot := func(pointer, text string) bool { return holdsJSON(schema, hotupdate.Hot, pointer, text) }
	first.target = record.NewTarget(first.target.Hot(), p.Schema(), driver.Kinds, isHot, limits)
	return p, nil
}

// MaxKnown is how many reports of other writers a class remembers.
const MaxKnown = maxKnown

// Writers is the memory of what was reported of other writers.
type Writers struct{ writers }

// Knows reports whether a key of a machine was reported before, and remembers it.
func (w *Writers) Knows(machine, key string) bool {
	return len(w.news([]rewritten{{name: machine, key: key}})) == 0
}

// Size returns how much is remembered.
func (w *Writers) Size() int { return len(w.known) }

// Remembered returns the number of entries of a Memory.
func Remembered(m *Memory) int { return len(m.futile) }
