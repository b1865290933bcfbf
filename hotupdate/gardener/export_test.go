package gardener

import (
	"encoding/json"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/gardenerplugin"
)

// Stored returns what a cluster returns of a manifest that a user wrote, and the refusals of its
// creation.
func (j *Judge) Stored(manifest json.RawMessage) (json.RawMessage, []gardenerplugin.Refusal, error) {
	b, err := j.beforeOf(manifest)
	if err != nil {
		return nil, nil, err
	}
	return b.states[byDefault].live, b.refusals, nil
}

// PathOf is [pathOf].
var PathOf = pathOf

// JSONFields is [jsonFields].
var JSONFields = jsonFields
