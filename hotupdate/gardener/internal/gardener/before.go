package gardener

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apiserver/pkg/admission"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// before is the state before a change.
type before struct {
	manifest json.RawMessage
	head     head
	states   map[gardenerplugin.Landscape]*state // landscapes with the same state share it
	images   images
	refusals []gardenerplugin.Refusal
	assumed  []string
	missing  []gardenerplugin.Reference
	unused   map[string][]gardenerplugin.Landscape // by ways of applying, see [Judge.unused]
}

// state is a stored Shoot. It is not changed.
type state struct {
	shoot     *core.Shoot
	versioned *gardencorev1beta1.Shoot
	live      json.RawMessage
}

func newState(shoot *core.Shoot) (s *state, err error) {
	s = &state{shoot: shoot}
	if s.versioned, err = toV1beta1(shoot); err != nil {
		return nil, err
	}
	s.live, err = json.Marshal(s.versioned)
	return s, err
}

// isDefault reports whether the state is the same in a landscape as in the default.
func (b *before) isDefault(l gardenerplugin.Landscape) bool {
	return b.states[l] == b.states[byDefault]
}

// beforeOf returns the state that an old manifest describes.
func (j *Judge) beforeOf(manifest json.RawMessage) (*before, error) {
	if j.before != nil && bytes.Equal(j.before.manifest, manifest) {
		return j.before, nil
	}
	b, err := j.newBefore(manifest)
	if err != nil {
		return nil, fmt.Errorf("the old Shoot: %w", err)
	}
	j.before = b
	return b, nil
}

func (j *Judge) newBefore(manifest json.RawMessage) (*before, error) {
	h, err := headOf(manifest)
	if err != nil {
		return nil, err
	}
	shoot, err := decode(lenient, manifest)
	if err != nil {
		return nil, err
	}
	b := &before{
		manifest: manifest, head: h, states: map[gardenerplugin.Landscape]*state{},
		unused: map[string][]gardenerplugin.Landscape{},
	}
	if slices.ContainsFunc(shoot.Spec.Provider.Workers, isInPlace) {
		b.assumed = append(b.assumed, assumedInPlace)
	}
	if !h.hasWindow() { // decoding draws one
		shoot.Spec.Maintenance.TimeWindow = new(window)
		b.assumed = append(b.assumed, assumedWindow)
	}
	if !h.isLive() {
		b.images = assumedImages(shoot)
		return b, j.create(b, shoot)
	}
	s, err := newState(shoot)
	for _, l := range landscapes {
		b.states[l] = s
	}
	return b, err
}

// create makes the state before the change from a manifest that a user wrote.
func (j *Judge) create(b *before, manifest *core.Shoot) error {
	missing, remove, err := j.permit(manifest)
	if err != nil {
		return err
	}
	defer remove()
	b.missing = missing
	var first *core.Shoot // as the mutating plugins of the default leave it
	for _, l := range landscapes {
		shoot := manifest.DeepCopy()
		refusals := j.servers[l].admit(shoot)
		if first != nil && reflect.DeepEqual(shoot, first) {
			b.states[l] = b.states[byDefault]
			continue
		}
		if first == nil {
			first = shoot.DeepCopy()
		}
		refusals = append(refusals, j.servers[l].store(shoot)...)
		if l == byDefault {
			b.refusals = refusals
		} else { // it is one Shoot
			shoot.UID = b.states[byDefault].shoot.UID
			shoot.CreationTimestamp = b.states[byDefault].shoot.CreationTimestamp
		}
		assumed := settle(shoot)
		if l == byDefault {
			b.assumed = append(assumed, b.assumed...)
		}
		if b.states[l], err = j.scheduled(b, shoot, l); err != nil {
			return err
		}
	}
	return nil
}

// scheduled returns the state of a Shoot that is bound to a seed, which has defaults for networks.
func (j *Judge) scheduled(b *before, shoot *core.Shoot, l gardenerplugin.Landscape) (*state, error) {
	missing, remove, err := j.permit(shoot)
	if err != nil {
		return nil, err
	}
	defer remove()
	for _, m := range missing {
		if !slices.Contains(b.missing, m) {
			b.missing = append(b.missing, m)
		}
	}
	refusals := j.servers[l].mutate(contextOf(shoot), attributesOf(shoot, shoot.DeepCopy(), admission.Update))
	if l == byDefault && len(b.refusals) == 0 {
		b.refusals = refusals
	}
	return newState(shoot)
}

// sent returns the Shoots that the API server gets for a new manifest, which is applied in one way.
func (b *before) sent(answer *gardenerplugin.Answer, manifest json.RawMessage, updated head, method string) (
	all map[gardenerplugin.Landscape]*core.Shoot, err error,
) {
	last := b.lastApplied(updated)
	if len(last) == 0 && !slices.Contains(answer.Assumed, assumedNothingApplied) {
		answer.Assumed = append(answer.Assumed, assumedNothingApplied)
	}
	all = map[gardenerplugin.Landscape]*core.Shoot{}
	for _, l := range landscapes {
		if len(all) > 0 && b.isDefault(l) {
			all[l] = all[byDefault].DeepCopy()
			continue
		}
		merged, err := apply(method, last, manifest, b.states[l].live)
		if err != nil {
			return nil, err
		}
		shoot, err := decode(lenient, merged)
		if err != nil {
			return nil, err
		}
		shoot.ResourceVersion = b.states[l].shoot.ResourceVersion
		all[l] = shoot
	}
	return all, nil
}
