// Package rawjson reads raw JSON into values of a field plan's type, as strictly as Kubernetes reads manifests.
//
// It owns what is refused: unknown and duplicate members, names in another case, wrong types, text that is not UTF-8. Package reader reads
// most documents faster; what it gives up is read, or explained, here. It must not know classes.
package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/hotupdate/providerconfig/internal/canonjson"
	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/reader"
	"github.com/hotupdate/providerconfig/internal/strictjson"
)

// Decode reads raw into a new value of the plan's type and returns a pointer to it. Nothing, white space and null are the empty
// configuration. All problems come back joined, each a *fault.Error with the path at which it stands.
func Decode(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	return decode(p, raw, reader.Lasting)
}

// Glance is [Decode] for a value that is looked at and dropped: each text in it may keep a copy of all of raw in memory.
func Glance(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	return decode(p, raw, reader.Passing)
}

func decode(p *fieldplan.Plan, raw []byte, life reader.Life) (reflect.Value, error) {
	config, ok := reader.Read(p, raw, life)
	if !ok {
		return decodeOrExplain(p, raw)
	}
	return unlessLost(p, raw, config)
}

// unlessLost returns what was read, if it says all that raw says.
func unlessLost(p *fieldplan.Plan, raw []byte, config reflect.Value) (reflect.Value, error) {
	if p.Lossy {
		if err := lost(p, raw); err != nil {
			return reflect.New(p.Type), err
		}
	}
	return config, nil
}

// decodeOrExplain reads by the decoder that Kubernetes uses, and so by the rules as they are written down there.
func decodeOrExplain(p *fieldplan.Plan, raw []byte) (reflect.Value, error) {
	config := reflect.New(p.Type)
	if len(bytes.Trim(raw, " \t\r\n")) == 0 {
		return config, nil
	}
	_, problem := canonjson.AppendValue(nil, raw)
	if problem != nil && (problem.Code != "duplicate-member" || !json.Valid(raw)) {
		return config, problem
	}
	if problem != nil || !canReadPlan(p, raw, config) {
		return reflect.New(p.Type), explain(p, raw)
	}
	return unlessLost(p, raw, config)
}

// Same reports whether two documents certainly say the same to the plan, well or badly: whether they are one JSON value and no type takes
// another spelling for another value. Neither is decoded, and whether the plan takes them is not asked: it may take one and not the other,
// since quantities and times refuse escapes.
func Same(p *fieldplan.Plan, a, b []byte) bool {
	return bytes.Equal(a, b) || !p.Raw && canonjson.Same(a, b)
}

// canReadPlan reads raw into config. Where members may be unknown, they are gathered first.
func canReadPlan(p *fieldplan.Plan, raw []byte, config reflect.Value) bool {
	if p.Open {
		g := &gatherer{}
		if raw = g.root(p, raw); g.stray {
			return false
		}
	}
	return strictjson.Read(raw, config.Interface())
}
