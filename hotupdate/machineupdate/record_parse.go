package machineupdate

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// maxRecord is how many bytes all annotations of an object may have together.
const maxRecord = 256 << 10

// wire is the record's JSON.
type wire struct {
	Version    *int              `json:"v"`
	ProviderID *string           `json:"providerID"`
	Creating   *string           `json:"creating"`
	Schema     *string           `json:"schema"`
	State      string            `json:"state"`
	Since      string            `json:"since"`
	Retries    *int              `json:"retries"`
	Applied    json.RawMessage   `json:"applied"`
	Attempted  []json.RawMessage `json:"attempted"`
	Attempts   []string          `json:"attempts"`
}

// parseRecord reads the annotation. It refuses what [record.Annotation] could not have written, but for white space and the order of members.
//
// The error is a [*fault.Error] with the code malformed-record, or future-record for a record that a later version wrote. It never quotes the
// annotation. No input panics.
func parseRecord(annotation string) (record, error) {
	if len(annotation) > maxRecord {
		return record{}, malformed("is longer than annotations may be")
	}
	var w wire
	strict, err := sigsjson.UnmarshalStrict([]byte(annotation), &w)
	if w.Version != nil && *w.Version > version {
		return record{}, &fault.Error{Kind: fault.Unsupported, Code: "future-record", What: "has a record that a later version wrote", Hint: hintRecord}
	}
	if err != nil {
		return record{}, malformed("is not the JSON of a record")
	}
	if len(strict) > 0 {
		return record{}, malformed("has a member twice, or one that no record has")
	}
	return w.record()
}

func malformed(what string) *fault.Error {
	return &fault.Error{Kind: fault.Malformed, Code: "malformed-record", What: "has a record that " + what, Hint: hintRecord}
}

const hintRecord = "nothing has to be done: the machine is updated and recorded anew"

// record reads the members, each by a function that says what is wrong with them.
func (w *wire) record() (record, error) {
	if w.Version == nil || *w.Version != version {
		return record{}, malformed("has no known version")
	}
	var r record
	for _, read := range []func(*record) string{w.identity, w.progress, w.hotParts, w.attempts, (*record).contradiction} {
		if problem := read(&r); problem != "" {
			return record{}, malformed(problem)
		}
	}
	return r, nil
}

func (w *wire) identity(r *record) string {
	switch {
	case w.Schema == nil:
		return "names no schema"
	case w.ProviderID != nil && w.Creating != nil:
		return "names both a provider ID and a machine under creation"
	case w.ProviderID != nil && *w.ProviderID != "":
		r.ProviderID = *w.ProviderID
	case w.Creating != nil && *w.Creating != "":
		r.Creating = *w.Creating
	default:
		return "names neither a provider ID nor a machine under creation"
	}
	r.Schema = *w.Schema
	return ""
}

func (w *wire) progress(r *record) string {
	known := slices.Index([]string{settled: "", calling: calling.String(), unconfirmed: unconfirmed.String()}, w.State)
	if known < 0 {
		return "has an unknown state"
	}
	r.State = state(known)
	var ok bool
	if r.Since, ok = parseSince(w.Since); !ok {
		return "has no time in whole seconds of UTC"
	}
	if w.Retries != nil {
		if r.Retries = *w.Retries; r.Retries < 1 || r.Retries > maxRetries {
			return "has an impossible number of retries"
		}
	}
	return ""
}

// parseSince reads a time that is spelled as a record spells it; time.Parse alone accepts fractions. It allocates nothing.
func parseSince(text string) (time.Time, bool) {
	since, err := time.Parse(sinceLayout, text)
	if err != nil {
		return since, false
	}
	var buffer [len(sinceLayout)]byte
	return since, string(since.AppendFormat(buffer[:0], sinceLayout)) == text
}

func (w *wire) hotParts(r *record) string {
	if w.Applied != nil {
		hot, ok := parseHot(w.Applied)
		if !ok {
			return "has something applied that is no hot part"
		}
		r.Applied = hot
	}
	for _, raw := range w.Attempted {
		hot := Nothing
		if string(raw) != "null" {
			var ok bool
			if hot, ok = parseHot(raw); !ok {
				return "has something attempted that is no hot part"
			}
		}
		r.Attempted = append(r.Attempted, hot)
	}
	return ""
}

// parseHot reads a JSON object that is no larger than [tooLarge] allows.
func parseHot(raw json.RawMessage) (Hot, bool) {
	canonical, problem := canonjson.AppendValue(nil, raw)
	if problem != nil || !strings.HasPrefix(string(canonical), "{") {
		return "", false
	}
	hot := Hot(canonical)
	return hot, tooLarge(hot) == ""
}

func (w *wire) attempts(r *record) string {
	for _, text := range w.Attempts {
		digest, ok := parseDigest(text)
		if !ok {
			return "has an attempt that is no digest"
		}
		r.Attempts = append(r.Attempts, digest)
	}
	return ""
}

// contradiction says why the members contradict each other.
func (r *record) contradiction() string {
	attempted := len(r.Attempted)+len(r.Attempts) > 0
	switch {
	case r.State == settled && attempted:
		return "is settled, but has attempts"
	case r.State != calling && r.Retries > 0:
		return "says that something succeeded, and is retried"
	case r.State != calling && r.Applied == "":
		return "says that something succeeded, but not what"
	case r.State != calling && r.Creating != "":
		return "is of a machine under creation that is finished"
	case size(r.Attempted, r.Attempts) > maxAttempted:
		return "has longer attempts than a record may have"
	}
	return ""
}
