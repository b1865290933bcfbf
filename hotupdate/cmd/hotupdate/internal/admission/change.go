package admission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	kubejson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/internal/canonjson"
)

// Confirmation is the annotation by which a person confirms one change: its value is the digest that the refusal of the
// change names.
const Confirmation = "hotupdate.github.io/confirm"

// lastApplied is the annotation in which kubectl keeps the manifest. It repeats all other values.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// object is what decides the digest of a change.
type object struct {
	Metadata struct {
		UID         string            `json:"uid"`
		DeletedAt   string            `json:"deletionTimestamp"`
		Generation  json.Number       `json:"generation"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	rest map[string]json.RawMessage // the other members
}

var errNoObject = errors.New("must be an object with metadata")

func readObject(text []byte) (*object, error) {
	o := &object{}
	err := kubejson.UnmarshalCaseSensitivePreserveInts(text, o)
	if err != nil || json.Unmarshal(text, &o.rest) != nil {
		return nil, errNoObject // the error may quote a value
	}
	delete(o.rest, "metadata")
	delete(o.rest, "status")
	return o, nil
}

// digestOf returns the digest of a change and whether the new object confirms it. Two changes have
// the same digest exactly if they are made to the same object in the same generation, with the same
// old and new members apart from metadata and status, and with the same differences of labels and
// annotations. So a confirmation does not hold for a later change, not even for the same change
// again.
func digestOf(request *Request) (digest string, isConfirmed bool, err error) {
	old, oldErr := readObject(request.OldObject)
	updated, newErr := readObject(request.Object)
	if err := errors.Join(oldErr, newErr); err != nil {
		return "", false, err
	}
	given := updated.Metadata.Annotations[Confirmation]
	for _, o := range []*object{old, updated} {
		delete(o.Metadata.Annotations, Confirmation)
		delete(o.Metadata.Annotations, lastApplied)
	}
	text, err := json.Marshal([]any{
		request.Kind.Group, request.Kind.Kind, old.Metadata.UID, old.Metadata.Generation, old.rest, updated.rest,
		differences(old.Metadata.Labels, updated.Metadata.Labels),
		differences(old.Metadata.Annotations, updated.Metadata.Annotations),
	})
	if err != nil {
		return "", false, errNoObject
	}
	canonical, problem := canonjson.AppendValue(nil, text)
	if problem != nil {
		return "", false, errNoObject
	}
	sum := sha256.Sum256(canonical)
	digest = hex.EncodeToString(sum[:digestSize])
	return digest, strings.TrimSpace(given) == digest, nil
}

// digestSize is the number of bytes of a digest.
const digestSize = 16

// differences returns the old and new values of the keys that differ, without a value where a side lacks the key.
func differences(old, updated map[string]string) map[string][]*string {
	all := map[string][]*string{}
	at := func(m map[string]string, key string) *string {
		if value, isThere := m[key]; isThere {
			return &value
		}
		return nil
	}
	for _, side := range []map[string]string{old, updated} {
		for key := range side {
			before, wasThere := old[key]
			after, isThere := updated[key]
			if before != after || wasThere != isThere {
				all[key] = []*string{at(old, key), at(updated, key)}
			}
		}
	}
	return all
}
