package machineupdate

import (
	"iter"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// Fleet follows the records of all machines, for metrics. It remembers since when a machine is not settled, as its record is written anew with each
// repetition. The zero value is ready for use, and safe for concurrent use.
type Fleet[M metav1.Object] struct {
	mutex sync.Mutex
	begun map[types.UID]record.Header
}

// Samples looks at the machines, as a lister has them, and yields numbers by name. It reads the heads of records only.
//
//	machines_calling            machines whose update was begun and has not succeeded
//	machines_unconfirmed        machines whose update is to be confirmed
//	records_full                machines that are updated in slices, as the record has no room for the whole change
//	oldest_calling_seconds      how long ago the oldest such update was begun; counted anew when the process restarts
//	oldest_unconfirmed_seconds  how long ago the oldest such update succeeded
//	last_success_seconds        how long ago an update last succeeded; left out if none did
func (f *Fleet[M]) Samples(machines []M, now time.Time) iter.Seq2[string, float64] {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	begun := map[types.UID]record.Header{}
	var count, oldest [record.Unconfirmed + 1]float64
	var full float64
	var success time.Time
	for _, machine := range machines {
		h, err := record.ReadHeader(machine.GetAnnotations()[AnnotationRecord])
		if err != nil {
			continue
		}
		if h.State != record.Calling {
			success = later(success, h.Since)
			if h.Wanted == "" {
				full++
			}
		}
		if before, ok := f.begun[machine.GetUID()]; ok && before.State == h.State {
			h = before
		}
		if h.State != record.Settled {
			begun[machine.GetUID()] = h
		}
		count[h.State]++
		oldest[h.State] = max(oldest[h.State], now.Sub(h.Since).Seconds())
	}
	f.begun = begun
	return func(yield func(string, float64) bool) {
		_ = yield("machines_calling", count[record.Calling]) && yield("machines_unconfirmed", count[record.Unconfirmed]) &&
			yield("records_full", full) && yield("oldest_calling_seconds", oldest[record.Calling]) &&
			yield("oldest_unconfirmed_seconds", oldest[record.Unconfirmed]) &&
			!success.IsZero() && yield("last_success_seconds", max(0, now.Sub(success).Seconds()))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
