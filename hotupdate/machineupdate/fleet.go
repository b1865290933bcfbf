package machineupdate

import (
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate/internal/record"
)

// Fleet tracks the records of all machines, for metrics. It remembers since when a machine has not
// been settled, because each repetition rewrites the record and its time. The zero value is ready
// for use, and safe for concurrent use.
type Fleet[M metav1.Object] struct {
	mutex sync.Mutex
	begun map[string]record.Header // by the machine's UID and the annotation of the lane
}

// Samples computes numbers, by name, from the machines of a lister. It reads only the heads of
// records. A machine counts once for each of its lanes. In-place updates do not count, because they
// wait for a drain.
//
//	machines_calling            machines whose update was begun and has not succeeded
//	machines_unconfirmed        machines whose update is to be confirmed
//	records_full                machines that are updated in slices or not at all, because the record is full
//	oldest_calling_seconds      how long ago the oldest such update was begun; starts again when the process restarts
//	oldest_unconfirmed_seconds  how long ago the oldest such update succeeded
//	last_success_seconds        how long ago an update last succeeded; omitted if none did
func (f *Fleet[M]) Samples(machines []M, now time.Time) map[string]float64 {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	begun := map[string]record.Header{}
	var count, oldest [record.Unconfirmed + 1]float64
	samples := map[string]float64{"records_full": 0}
	for lane, h := range headers(machines) {
		if h.State != record.Calling {
			ago := max(0, now.Sub(h.Since).Seconds())
			last, known := samples["last_success_seconds"]
			if !known || ago < last {
				samples["last_success_seconds"] = ago
			}
			if h.Wanted == "" || h.IsFull() {
				samples["records_full"]++
			}
		}
		if before, ok := f.begun[lane]; ok && before.State == h.State {
			h = before
		}
		if h.State != record.Settled {
			begun[lane] = h
		}
		count[h.State]++
		oldest[h.State] = max(oldest[h.State], now.Sub(h.Since).Seconds())
	}
	f.begun = begun
	samples["machines_calling"] = count[record.Calling]
	samples["oldest_calling_seconds"] = oldest[record.Calling]
	samples["machines_unconfirmed"] = count[record.Unconfirmed]
	samples["oldest_unconfirmed_seconds"] = oldest[record.Unconfirmed]
	return samples
}

// headers returns the heads of all lanes' records, except records that wait for a drain.
func headers[M metav1.Object](machines []M) map[string]record.Header {
	all := map[string]record.Header{}
	for _, machine := range machines {
		for name, text := range machine.GetAnnotations() {
			further, ok := strings.CutPrefix(name, AnnotationRecord)
			h, _, err := record.ReadHeader(text)
			isReadable := ok && err == nil
			isDrained := h.Drain != (record.Drain{})
			isCreating := further != "" && h.Creating != "" // of a further lane, which may be InPlace
			if isReadable && !isDrained && !isCreating {
				all[string(machine.GetUID())+name] = h
			}
		}
	}
	return all
}
