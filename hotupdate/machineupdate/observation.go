package machineupdate

import "time"

// MCM's phases that matter here. In every other phase a machine is updated.
const (
	phaseNone             = "" // not created yet, or restored by a control-plane migration, which drops the status
	phaseCrashLoopBackOff = "CrashLoopBackOff"
	phaseTerminating      = "Terminating"
	phaseFailed           = "Failed"
)

// Machine is what hot updates need to know of a Machine.
type Machine struct {
	Name            string
	ResourceVersion string
	ProviderID      string
	Phase           string            // CurrentStatus.Phase
	Deleting        bool              // it has a deletion timestamp
	Annotations     map[string]string // they are not changed
}

// Settings are the times of the flow.
type Settings struct {
	// ConfirmAfter is how long after a success the machine is updated once more, to settle it. It must be longer than CallTimeout, the
	// time that requests may land after their sender gave up, the lag of the cloud's reads, and the difference between the clocks of two
	// leaders, together. See "Time" in the package documentation. Zero is 15 minutes.
	ConfirmAfter time.Duration
	// RetryAfter is how long after an update that failed or was interrupted the next one is made. Another provider spec does not
	// wait. It doubles with each repetition, up to ConfirmAfter, plus up to a half of it as jitter. Zero is 15 seconds.
	RetryAfter time.Duration
	// CallTimeout is how long after the marker was written requests may be sent to the cloud. Zero is 5 minutes.
	CallTimeout time.Duration
	// VerifyPeriod is how long after it settled a machine is updated although nothing changed, to repair drift. Zero is never.
	VerifyPeriod time.Duration
	// DenialDelay is how long a machine waits after the limiter denied its update, plus up to as much again as jitter. Zero is a minute.
	DenialDelay time.Duration
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return fallback
}

func (s *Settings) confirmAfter() time.Duration { return orDefault(s.ConfirmAfter, 15*time.Minute) }
func (s *Settings) retryAfter() time.Duration   { return orDefault(s.RetryAfter, 15*time.Second) }
func (s *Settings) callTimeout() time.Duration  { return orDefault(s.CallTimeout, 5*time.Minute) }
func (s *Settings) denialDelay() time.Duration  { return orDefault(s.DenialDelay, time.Minute) }

// Observation is everything that a decision depends on.
type Observation struct {
	Machine  Machine
	Settings Settings
	// Class is the machine's class; nil if it is gone, or if it could not be prepared, and then ClassError says why.
	Class      *Prepared
	ClassError error
	Secret     map[string][]byte // the secret of the class, for the driver
	Limit      LimitKey          // the key under which the limiter is asked

	now time.Time
}

// LimitKey is what clouds limit calls by.
type LimitKey struct {
	Credentials string // a name of the credentials, not the credentials
	Region      string
}
