package machineupdate

import (
	"cmp"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// MCM's phases that matter here. In every other phase a machine is updated.
const (
	phaseNone             = "" // not created yet, or restored by a control-plane migration, which drops the status
	phaseCrashLoopBackOff = "CrashLoopBackOff"
	phaseTerminating      = "Terminating"
	phaseFailed           = "Failed"
)

// Machine is the pointer type of the caller's Machine objects, such as *v1alpha1.Machine.
type Machine interface {
	metav1.Object
	runtime.Object
}

// Observation is everything that a decision depends on.
type Observation[M Machine] struct {
	Machine    M      // as the last write, or the cache, returned it; it is not changed
	ProviderID string // its spec.providerID
	Phase      string // its status.currentStatus.phase
	// Class is the machine's class; nil if it could not be prepared, and then ClassError says why. Without both nothing is updated or recorded:
	// that is for drivers that know no hot updates.
	Class      *Prepared
	ClassError error
	// Former is the class in the template of the machine's MachineSet, in a pool that is updated in place. A driver whose lane has all members
	// with InPlace leaves needs none, as long as it is able to update. Else nobody knows what differs.
	Former   *Prepared
	Secret   map[string][]byte // the secret of the class, for the driver
	Settings Settings
}

// machine is what hot updates read of a Machine.
type machine struct {
	Name            string
	UID             types.UID
	ResourceVersion string
	ProviderID      string
	Phase           string
	Deleting        bool
	Annotations     map[string]string
}

// observation is an Observation at a time, whatever the type of machines.
type observation struct {
	Machine    machine
	Settings   Settings
	Class      *Prepared
	ClassError error
	Secret     map[string][]byte

	lane *lane // of which nothing is known without a class
	gate *gate // nil unless the node is drained for an in-place update
	now  time.Time
}

// at reads the machine for a decision about a lane.
func (o *Observation[M]) at(now time.Time, lane *lane) observation {
	m := machine{
		Name: o.Machine.GetName(), UID: o.Machine.GetUID(), ResourceVersion: o.Machine.GetResourceVersion(), ProviderID: o.ProviderID,
		Phase: o.Phase, Deleting: o.Machine.GetDeletionTimestamp() != nil, Annotations: o.Machine.GetAnnotations(),
	}
	return observation{m, o.Settings, o.Class, o.ClassError, o.Secret, lane, nil, now}
}

// given returns the error of a machine that is nil.
func given[M Machine](where string, m M) error {
	if v := reflect.ValueOf(m); v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		return nil
	}
	return &fault.Error{Kind: fault.Misuse, Code: "missing-machine", Where: where, What: "is nil", Hint: "hand in the object of the cache, or of the last write"}
}

// versioned returns the error of a machine to which no write can be bound.
func versioned[M Machine](where string, m M) error {
	if err := given(where, m); err != nil || m.GetResourceVersion() != "" {
		return err
	}
	return &fault.Error{
		Kind: fault.Misuse, Code: "missing-resource-version", Where: where, What: "has no resourceVersion, without which a write would overwrite what others wrote",
		Hint: "hand in the object of the cache, or of the last write",
	}
}

// Settings are the times of the flow.
type Settings struct {
	// ConfirmAfter is how long after a success the machine is updated once more, to settle it. "Time" in the package documentation says how
	// long it must be at least. Zero is 15 minutes.
	ConfirmAfter time.Duration
	// RetryAfter is how long after an update that failed or was interrupted the next one is made. Another provider spec does not
	// wait. It doubles with each repetition, up to ConfirmAfter, plus up to a half of it as jitter. Zero is 15 seconds.
	RetryAfter time.Duration
	// CallTimeout is how long after the marker was written requests may be sent to the cloud. Zero is 5 minutes.
	CallTimeout time.Duration
	// VerifyPeriod is how long after it settled a machine is updated although nothing changed, to repair drift. Zero is never.
	VerifyPeriod time.Duration
	// CreationTimeout is how long after its marker was written a creation may send requests. ConfirmAfter must be as much longer than it as than
	// CallTimeout. Zero is 10 minutes.
	CreationTimeout time.Duration
	// MirrorSpec writes the provider spec with each success to [AnnotationLastApplied], unless it is longer than 64 KiB. It about doubles what
	// machines take in etcd.
	MirrorSpec bool
	// Paused pauses the hot updates of all machines while it returns true. Nil never does. See also [AnnotationPause].
	Paused func() bool
	// DenialDelay is how long a machine waits after the limiter denied its update, plus up to as much again as jitter. Zero is a minute.
	DenialDelay time.Duration
}

func (s *Settings) confirmAfter() time.Duration {
	return cmp.Or(max(s.ConfirmAfter, 0), 15*time.Minute)
}

func (s *Settings) retryAfter() time.Duration { return cmp.Or(max(s.RetryAfter, 0), 15*time.Second) }

func (s *Settings) callTimeout() time.Duration { return cmp.Or(max(s.CallTimeout, 0), 5*time.Minute) }
func (s *Settings) denialDelay() time.Duration { return cmp.Or(max(s.DenialDelay, 0), time.Minute) }
func (s *Settings) creationTimeout() time.Duration {
	return cmp.Or(max(s.CreationTimeout, 0), 10*time.Minute)
}

// The annotations on Machine objects.
const (
	// AnnotationRecord holds what a machine remembers of its hot updates. The package documentation specifies its JSON. A [Lane] has an annotation
	// of this name, with a hyphen and its own name behind it.
	AnnotationRecord = "machine.sapcloud.io/hot-update"
	// AnnotationPause on a Machine or on a MachineClass pauses its hot updates, whatever its value, unless that is "false". Creations and their
	// records go on. An update that was begun stays begun, and is finished afterwards.
	AnnotationPause = "machine.sapcloud.io/pause-hot-update"
	// AnnotationLastApplied mirrors the provider spec of the last success for people, as in the hot-update proposal, section
	// "Reconciliation Changes". Nothing reads it. See [Settings].
	AnnotationLastApplied = "machine.sapcloud.io/last-applied-providerspec"
)

func isPaused(annotations map[string]string) bool {
	value, ok := annotations[AnnotationPause]
	return ok && value != "false"
}
