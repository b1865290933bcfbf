package machineupdate

import (
	"context"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MCM's phases that prevent an update. In every other phase a machine is updated.
const (
	phaseNone             = "" // not created yet, or restored by a control-plane migration, which drops the status
	phaseCrashLoopBackOff = "CrashLoopBackOff"
	phaseTerminating      = "Terminating"
	phaseFailed           = "Failed"

	// Others that are known.
	phaseRunning = "Running"
	phaseUnknown = "Unknown" // the node is not ready
)

// MachineObject is the pointer type of the caller's Machine objects, such as *v1alpha1.Machine.
type MachineObject interface {
	metav1.Object
	runtime.Object
}

// Observation holds everything that a decision depends on besides the Machine object.
type Observation struct {
	ProviderID string // spec.providerID of the machine
	Phase      string // status.currentStatus.phase of the machine
	// Class is the machine's class. If it could not be prepared, it is nil and ClassError says why.
	// For a driver without hot updates it comes from [Classes.PrepareUnsupported]. Without both
	// nothing is updated, and the error of the result has the code missing-class.
	Class      *PreparedClass
	ClassError error
	// Former is the class in the template of the machine's MachineSet, in a pool that is updated in
	// place. It may be nil if the driver can update and its lane has all members with InPlace
	// leaves. Otherwise it is needed to tell what differs.
	Former *PreparedClass
	// Versions returns the hot parts with which the VM may have been created, see
	// [PreparedClass.AddVersion]. It is called before the first pass of a machine without a record
	// about its VM, after the provider ID was observed, and must read the API server, not a cache. An error
	// delays that pass. Nil is for creations that are recorded by [Executor.BeginCreation].
	Versions func(ctx context.Context) ([]HotSpec, error)
	Secret   map[string][]byte // the data of the class's secret, for the driver
	Settings Settings
}

// observation is an Observation of a machine, for a decision about one lane.
type observation struct {
	Observation

	Machine MachineObject
	lane    *lane // empty without a class
	gate    *gate // nil unless the node is drained for an in-place update
	now     time.Time
	unripe  time.Duration // how long the confirmation still waits by the monotonic clock
}

// at returns the observation of a machine, for a decision about a lane.
func (o *Observation) at(now time.Time, machine MachineObject, lane *lane) *observation {
	return &observation{Observation: *o, Machine: machine, lane: lane, now: now}
}

// complete sets ClassError if the observation has neither a class nor an error.
func (o *Observation) complete() {
	if o.Class == nil && o.ClassError == nil {
		o.ClassError = misuse(fault.MissingClass, "Observation", "has neither Class nor ClassError",
			"set them to what Classes.Prepare returned, or Class to what Classes.PrepareUnsupported returned")
	}
}

// given returns an error if the machine is nil.
func given[M MachineObject](where string, m M) error {
	v := reflect.ValueOf(m)
	isNil := !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
	if isNil {
		return misuse("missing-machine", where, "is nil", passObject)
	}
	return nil
}

// versioned returns an error if a write cannot name the version of the machine.
func versioned[M MachineObject](where string, m M) error {
	if err := given(where, m); err != nil {
		return err
	}
	if m.GetResourceVersion() != "" {
		return nil
	}
	const what = "has no resourceVersion, without which a write would overwrite what others wrote"
	return misuse("missing-resource-version", where, what, passObject)
}

const passObject = "pass the object of the cache or of the last write"

func misuse(code, where, what, hint string) *fault.Error {
	return &fault.Error{Kind: fault.Misuse, Code: code, Where: where, What: what, Hint: hint}
}

// Settings holds the times and switches of the flow.
type Settings struct {
	// ConfirmAfter is the time after a success until the machine is updated once more, to settle
	// it. "Time" in FLOW.md says how long it must be at least. Zero means 15 minutes.
	ConfirmAfter time.Duration
	// RetryAfter is the time after a failed or interrupted update until the next one. A changed
	// provider spec does not wait. The time doubles with each repetition, up to ConfirmAfter, plus
	// up to half of it as jitter, which is new for each pass. After the limiter denied an update,
	// the machine waits four times RetryAfter, plus the same time at most as jitter. Zero means 15
	// seconds.
	RetryAfter time.Duration
	// CallTimeout is the time after the marker during which requests may be sent to the cloud. Zero
	// means 5 minutes.
	CallTimeout time.Duration
	// VerifyPeriod is the time after which a settled machine is updated without a change, to repair
	// drift. Zero means never.
	VerifyPeriod time.Duration
	// CreationTimeout is the time after its marker during which a creation may send requests.
	// ConfirmAfter must exceed it by the same margin as CallTimeout. Zero means 10 minutes.
	CreationTimeout time.Duration
	// MirrorSpec writes the provider spec with each success to the annotation
	// machine.sapcloud.io/last-applied-providerspec. A spec of more than 64 KiB is omitted. So is any
	// spec if all annotations of the machine would take more than 240 KiB; an event reports that. The
	// annotation roughly doubles the size of machines in etcd. It is for people, as in the
	// hot-update proposal, section "Reconciliation Changes": no code reads it.
	MirrorSpec bool
	// Paused pauses the hot updates of all machines while it returns true. Nil never does. The
	// annotation machine.sapcloud.io/pause-hot-update on a Machine or on a MachineClass pauses its
	// hot updates, whatever its value, unless that is "false". Creations and their records
	// continue. An update that was begun is finished after the pause.
	Paused func() bool
}

func (s *Settings) confirmAfter() time.Duration { return positive(s.ConfirmAfter, 15*time.Minute) }
func (s *Settings) retryAfter() time.Duration   { return positive(s.RetryAfter, 15*time.Second) }
func (s *Settings) callTimeout() time.Duration  { return positive(s.CallTimeout, 5*time.Minute) }
func (s *Settings) creationTimeout() time.Duration {
	return positive(s.CreationTimeout, 10*time.Minute)
}

// positive returns a time if it is positive, and otherwise the default.
func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// The annotations on Machine objects.
const (
	// AnnotationRecord holds the record of a machine's hot updates. FLOW.md specifies its JSON.
	// A [Lane] has an annotation of this name, with a hyphen and its own name behind it.
	AnnotationRecord      = "machine.sapcloud.io/hot-update"
	annotationPause       = "machine.sapcloud.io/pause-hot-update"          // see [Settings].Paused
	annotationLastApplied = "machine.sapcloud.io/last-applied-providerspec" // see [Settings].MirrorSpec
)

func isPaused(o metav1.Object) bool {
	value, ok := o.GetAnnotations()[annotationPause]
	return ok && value != "false"
}
