package gardener

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/admission"

	"github.com/gardener/gardener/pkg/api"
	v1beta1helper "github.com/gardener/gardener/pkg/api/core/v1beta1/helper"
	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apiserverfeatures "github.com/gardener/gardener/pkg/apiserver/features"
	"github.com/gardener/gardener/pkg/features"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/gardenerplugin"
)

// Judge asks Gardener's code. It is not safe for concurrent use.
type Judge struct {
	objects *objects
	servers map[gardenerplugin.Reservation]*server
	before  *before // of the last question: many questions in a row have the same old Shoot
}

// reservations are the modes that are tried.
var reservations = []gardenerplugin.Reservation{gardenerplugin.Static, gardenerplugin.GKE}

// registered makes Gardener's feature gates known, once in a process.
var registered = sync.OnceFunc(apiserverfeatures.RegisterFeatureGates)

// New makes a Judge, and says which objects it does not use. The feature gates are those of the
// process: the last Judge sets them for all.
func New(setup gardenerplugin.Setup) (*Judge, []string, error) {
	if setup.FormatVersion != gardenerplugin.FormatVersion {
		return nil, nil, fmt.Errorf("the format version is %d, but %s has %d; use the same release of both",
			setup.FormatVersion, gardenerplugin.Command, gardenerplugin.FormatVersion)
	}
	registered()
	gates := map[string]bool{string(features.InPlaceNodeUpdates): true}
	for name, enabled := range setup.FeatureGates {
		gates[name] = enabled
	}
	if err := features.DefaultFeatureGate.SetFromMap(gates); err != nil {
		return nil, nil, fmt.Errorf("feature gates: %w", err)
	}
	o, err := newObjects()
	if err != nil {
		return nil, nil, err
	}
	j := &Judge{objects: o, servers: map[gardenerplugin.Reservation]*server{}}
	for _, reservation := range reservations {
		if j.servers[reservation], err = newServer(o, reservation); err != nil {
			return nil, nil, err
		}
	}
	var ignored []string
	for _, object := range setup.Objects {
		if err := o.add(object); err != nil {
			ignored = append(ignored, err.Error())
		}
	}
	return j, ignored, nil
}

// Judge answers a question. It never fails: an answer without outcomes has an error.
func (j *Judge) Judge(q gardenerplugin.Question) (answer gardenerplugin.Answer) {
	defer func() {
		if r := recover(); r != nil {
			answer = gardenerplugin.Answer{ID: q.ID, Error: fmt.Sprintf("Gardener's code panics in %s: %v", panicking(), r)}
		}
	}()
	answer, err := j.judge(q)
	if err != nil {
		answer = gardenerplugin.Answer{Error: err.Error()}
	}
	answer.ID = q.ID
	return answer
}

func (j *Judge) judge(q gardenerplugin.Question) (answer gardenerplugin.Answer, err error) {
	if len(q.New) == 0 {
		return answer, errors.New("there is no new Shoot")
	}
	if len(q.Old) == 0 {
		return j.judgeNew(q.New)
	}
	b, err := j.beforeOf(q.Old)
	if err != nil {
		return answer, err
	}
	answer.OldRefusals, answer.Assumed = b.refusals, slices.Clone(b.assumed)
	answer.Missing = slices.Clone(b.missing)
	if refusals := refusalsOfManifest(q.New); len(refusals) > 0 {
		answer.Outcomes = []gardenerplugin.Outcome{{Reservations: reservations, Refusals: refusals}}
		return answer, nil
	}
	sent, err := b.sent(&answer, q.New)
	if err != nil {
		answer.Outcomes = []gardenerplugin.Outcome{
			{Reservations: reservations, Refusals: refusalsOf(byDecoding, err)},
		}
		return answer, nil
	}
	answer.Outcomes, err = j.change(&answer, b, sent)
	return answer, err
}

// change changes the stored Shoot in all modes.
func (j *Judge) change(
	answer *gardenerplugin.Answer, b *before, sent map[gardenerplugin.Reservation]*core.Shoot,
) ([]gardenerplugin.Outcome, error) {
	missing, remove, err := j.permit(b.stored[gardenerplugin.Static], sent[gardenerplugin.Static])
	if err != nil {
		return nil, err
	}
	defer remove()
	for _, m := range missing {
		if !slices.Contains(answer.Missing, m) {
			answer.Missing = append(answer.Missing, m)
		}
	}
	var all []gardenerplugin.Outcome
	var first *request
	for _, reservation := range reservations {
		r := j.request(b, sent[reservation], reservation)
		if first != nil && b.isSame && r.isSame(first) {
			continue // the rest of the server does not know the mode
		}
		if first == nil {
			first = r.clone()
		}
		outcome, err := r.finish()
		if err != nil {
			return nil, err
		}
		all = append(all, outcome)
	}
	return joined(all), nil
}

// request is a request for a change in one mode, behind the mutating plugins.
type request struct {
	server      *server
	reservation gardenerplugin.Reservation
	before      *before
	unknown     map[string]reason
	shoot       *core.Shoot
	refusals    []gardenerplugin.Refusal
}

func (j *Judge) request(b *before, sent *core.Shoot, reservation gardenerplugin.Reservation) *request {
	r := &request{
		server: j.servers[reservation], reservation: reservation, before: b, shoot: sent,
		unknown: b.images.replacedBy(sent),
	}
	r.refusals = r.server.mutate(contextOf(sent), attributesOf(sent, b.stored[reservation].DeepCopy(), admission.Update))
	return r
}

func (r *request) isSame(other *request) bool {
	return reflect.DeepEqual(r.refusals, other.refusals) && reflect.DeepEqual(r.shoot, other.shoot)
}

func (r *request) clone() *request {
	c := *r
	c.shoot = r.shoot.DeepCopy()
	return &c
}

// finish does what comes behind the mutating plugins.
func (r *request) finish() (outcome gardenerplugin.Outcome, err error) {
	outcome.Reservations = []gardenerplugin.Reservation{r.reservation}
	outcome.Refusals = r.refusals
	if len(r.refusals) == 0 {
		outcome.Refusals = r.server.validateUpdate(r.shoot, r.before.stored[r.reservation].DeepCopy())
	}
	if len(outcome.Refusals) > 0 {
		return outcome, nil
	}
	stored, err := toV1beta1(r.shoot)
	if err != nil {
		return outcome, err
	}
	outcome.Pools, err = poolsOf(r.before.versioned[r.reservation], stored, r.unknown)
	return outcome, err
}

// joined joins outcomes that are the same in all modes. One outcome is that of all.
func joined(outcomes []gardenerplugin.Outcome) []gardenerplugin.Outcome {
	first := outcomes[0]
	for _, o := range outcomes[1:] {
		if !reflect.DeepEqual(changesOf(first), changesOf(o)) {
			return outcomes
		}
	}
	first.Reservations = reservations
	return []gardenerplugin.Outcome{first}
}

// changesOf is an outcome without what differs between modes although the change has the same effect.
func changesOf(o gardenerplugin.Outcome) gardenerplugin.Outcome {
	o.Reservations = nil
	o.Pools = slices.Clone(o.Pools)
	for i := range o.Pools {
		p := &o.Pools[i]
		p.OldKey, p.NewKey, p.OldHash, p.NewHash = "", "", "", ""
	}
	return o
}

// before is the state before a change.
type before struct {
	manifest  json.RawMessage
	meta      metadata
	stored    map[gardenerplugin.Reservation]*core.Shoot
	versioned map[gardenerplugin.Reservation]*gardencorev1beta1.Shoot
	live      map[gardenerplugin.Reservation]json.RawMessage
	isSame    bool // in all modes
	images    images
	refusals  []gardenerplugin.Refusal
	assumed   []string
	missing   []gardenerplugin.Reference
}

// beforeOf returns the state that an old manifest stands for.
func (j *Judge) beforeOf(manifest json.RawMessage) (*before, error) {
	if j.before != nil && bytes.Equal(j.before.manifest, manifest) {
		return j.before, nil
	}
	meta, err := metadataOf(manifest)
	if err != nil {
		return nil, fmt.Errorf("the old Shoot: %w", err)
	}
	shoot, err := decode(lenient, manifest)
	if err != nil {
		return nil, fmt.Errorf("the old Shoot: %w", err)
	}
	b := &before{manifest: manifest, meta: meta, stored: map[gardenerplugin.Reservation]*core.Shoot{}}
	for _, reservation := range reservations {
		b.stored[reservation] = shoot.DeepCopy()
	}
	if !meta.isLive() {
		b.images = assumedImages(shoot)
		if err := j.create(b, shoot); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(shoot.Spec.Provider.Workers, isInPlace) {
		b.assumed = append(b.assumed, assumedInPlace)
	}
	if err := b.convert(); err != nil {
		return nil, err
	}
	j.before = b
	return b, nil
}

// convert makes what clients see of the stored Shoots.
func (b *before) convert() (err error) {
	b.isSame = true
	b.versioned = map[gardenerplugin.Reservation]*gardencorev1beta1.Shoot{}
	b.live = map[gardenerplugin.Reservation]json.RawMessage{}
	for _, reservation := range reservations {
		versioned, err := toV1beta1(b.stored[reservation])
		if err != nil {
			return err
		}
		b.versioned[reservation] = versioned
		if b.live[reservation], err = json.Marshal(versioned); err != nil {
			return fmt.Errorf("the old Shoot: %w", err)
		}
		b.isSame = b.isSame && bytes.Equal(b.live[reservation], b.live[reservations[0]])
	}
	return nil
}

// sent returns the Shoots that the API server gets for a new manifest.
func (b *before) sent(answer *gardenerplugin.Answer, manifest json.RawMessage) (
	all map[gardenerplugin.Reservation]*core.Shoot, err error,
) {
	all = map[gardenerplugin.Reservation]*core.Shoot{}
	for _, reservation := range reservations {
		if b.isSame && len(all) > 0 {
			all[reservation] = all[reservations[0]].DeepCopy()
			continue
		}
		merged, how, err := b.merge(manifest, b.live[reservation])
		if err != nil {
			return nil, err
		}
		answer.Merge = how
		shoot, err := decode(lenient, merged)
		if err != nil {
			return nil, err
		}
		shoot.ResourceVersion = b.stored[reservation].ResourceVersion
		all[reservation] = shoot
	}
	return all, nil
}

// create makes the state before the change from a manifest that a user wrote.
func (j *Judge) create(b *before, shoot *core.Shoot) error {
	missing, remove, err := j.permit(shoot)
	if err != nil {
		return err
	}
	defer remove()
	b.missing = missing
	for _, reservation := range reservations {
		stored := b.stored[reservation]
		refusals := j.servers[reservation].create(stored)
		if reservation == gardenerplugin.Static {
			b.refusals = refusals
		}
		b.assumed = settle(stored)
	}
	return j.schedule(b)
}

// schedule does what the binding to a seed does: the seed has defaults for networks.
func (j *Judge) schedule(b *before) error {
	shoot := b.stored[gardenerplugin.Static]
	missing, remove, err := j.permit(shoot)
	if err != nil {
		return err
	}
	defer remove()
	for _, m := range missing {
		if !slices.Contains(b.missing, m) {
			b.missing = append(b.missing, m)
		}
	}
	for _, reservation := range reservations {
		stored := b.stored[reservation]
		attributes := attributesOf(stored, stored.DeepCopy(), admission.Update)
		b.refusals = append(b.refusals, j.servers[reservation].mutate(contextOf(stored), attributes)...)
	}
	return nil
}

// permit adds the objects that Shoots refer to and that were not given. The project is not told: it
// only matters for the creation of a Shoot.
func (j *Judge) permit(shoots ...*core.Shoot) (missing []gardenerplugin.Reference, remove func(), err error) {
	var versioned []*gardencorev1beta1.Shoot
	for _, shoot := range shoots {
		v, err := toV1beta1(shoot)
		if err != nil {
			return nil, nil, err
		}
		versioned = append(versioned, v)
	}
	all := permissive(j.objects.parentOf(versioned...), versioned...)
	missing, removeAll, err := j.objects.addMissing(all)
	missing = slices.DeleteFunc(missing, func(m gardenerplugin.Reference) bool { return m.Name == assumedSeed })
	if err != nil || j.objects.hasProject(shoots[0].Namespace) {
		return missing, removeAll, err
	}
	_, removeProject, err := j.objects.addMissing([]k8sruntime.Object{projectOf(shoots[0].Namespace)})
	if err != nil {
		removeAll()
		return nil, nil, err
	}
	remove = func() {
		removeAll()
		removeProject()
	}
	return missing, remove, nil
}

// refusalsOfManifest returns what the decoder refuses in a new manifest. The API server sees it in
// the merged object as well, but there a member that stands twice is lost.
func refusalsOfManifest(manifest json.RawMessage) []gardenerplugin.Refusal {
	_, err := decode(strict, manifest)
	return refusalsOf(byDecoding, err)
}

// judgeNew answers for a Shoot that is created.
func (j *Judge) judgeNew(manifest json.RawMessage) (answer gardenerplugin.Answer, err error) {
	answer.Merge = gardenerplugin.Create
	for _, reservation := range reservations {
		outcome := gardenerplugin.Outcome{
			Reservations: []gardenerplugin.Reservation{reservation}, Refusals: refusalsOfManifest(manifest),
		}
		if len(outcome.Refusals) == 0 {
			if err := j.created(&answer, &outcome, manifest, reservation); err != nil {
				return answer, err
			}
		}
		answer.Outcomes = append(answer.Outcomes, outcome)
	}
	answer.Outcomes = joined(answer.Outcomes)
	return answer, nil
}

func (j *Judge) created(answer *gardenerplugin.Answer, outcome *gardenerplugin.Outcome, manifest json.RawMessage,
	reservation gardenerplugin.Reservation,
) error {
	shoot, err := decode(lenient, manifest)
	if err != nil {
		return fmt.Errorf("the new Shoot: %w", err)
	}
	missing, remove, err := j.permit(shoot)
	if err != nil {
		return err
	}
	defer remove()
	answer.Missing = missing
	if outcome.Refusals = j.servers[reservation].create(shoot); len(outcome.Refusals) > 0 {
		return nil
	}
	stored, err := toV1beta1(shoot)
	if err != nil {
		return err
	}
	outcome.Pools, err = poolsOf(nil, stored, nil)
	return err
}

// panicking returns the function that panics, for a deferred one. It prefers Gardener's own.
func panicking() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for {
		frame, more := frames.Next()
		if function, is := strings.CutPrefix(frame.Function, module+"/"); is || !more {
			return function
		}
	}
}

func isInPlace(worker core.Worker) bool {
	return worker.UpdateStrategy != nil &&
		v1beta1helper.IsUpdateStrategyInPlace(new(gardencorev1beta1.MachineUpdateStrategy(*worker.UpdateStrategy)))
}

// The decoders of the API server. It drops unknown members of an object that is stored, and refuses
// them in one that is sent, since kubectl asks for that.
var (
	lenient = api.Codecs.UniversalDecoder(core.SchemeGroupVersion)
	strict  = serializer.NewCodecFactory(api.Scheme, serializer.EnableStrict).UniversalDecoder(core.SchemeGroupVersion)
)

// decode reads a Shoot, with defaults.
func decode(decoder k8sruntime.Decoder, manifest json.RawMessage) (*core.Shoot, error) {
	object, err := k8sruntime.Decode(decoder, manifest)
	if err != nil {
		return nil, err
	}
	shoot, is := object.(*core.Shoot)
	if !is {
		return nil, fmt.Errorf("is of another kind; it must be a Shoot of %s", gardencorev1beta1.SchemeGroupVersion)
	}
	return shoot, nil
}

// toV1beta1 converts a Shoot into what gardenlet and kubectl read.
func toV1beta1(shoot *core.Shoot) (*gardencorev1beta1.Shoot, error) {
	versioned := &gardencorev1beta1.Shoot{}
	if err := api.Scheme.Convert(shoot, versioned, nil); err != nil {
		return nil, fmt.Errorf("conversion of the Shoot: %w", err)
	}
	versioned.SetGroupVersionKind(gardencorev1beta1.SchemeGroupVersion.WithKind("Shoot"))
	return versioned, nil
}
