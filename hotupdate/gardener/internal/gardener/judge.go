package gardener

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gardener/gardener/pkg/api"
	v1beta1helper "github.com/gardener/gardener/pkg/api/core/v1beta1/helper"
	"github.com/gardener/gardener/pkg/apis/core"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apiserverfeatures "github.com/gardener/gardener/pkg/apiserver/features"
	"github.com/gardener/gardener/pkg/features"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/component-base/featuregate"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// Judge asks Gardener's code. It is not safe for concurrent use.
type Judge struct {
	objects *objects
	servers map[gardenerplugin.Landscape]*server
	before  *before // of the last question: many questions in a row have the same old Shoot
}

// registered makes Gardener's feature gates known, once in a process.
var registered = sync.OnceFunc(apiserverfeatures.RegisterFeatureGates)

// New makes a Judge, and says which objects it does not use. The feature gates belong to the
// process: the last Judge sets them for all.
func New(setup gardenerplugin.Setup) (*Judge, []string, error) {
	if setup.FormatVersion != gardenerplugin.FormatVersion {
		return nil, nil, fmt.Errorf("the format version is %d, but %s has %d; use the same release of both",
			setup.FormatVersion, gardenerplugin.Command, gardenerplugin.FormatVersion)
	}
	registered()
	if err := setFeatureGates(setup.FeatureGates); err != nil {
		return nil, nil, err
	}
	o, err := newObjects()
	if err != nil {
		return nil, nil, err
	}
	j := &Judge{objects: o, servers: map[gardenerplugin.Landscape]*server{}}
	for _, l := range landscapes {
		if j.servers[l], err = newServer(o, l); err != nil {
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

// setFeatureGates sets the gates of the process. It checks their names first, since a gate that is not
// known would stand in the way of all later settings.
func setFeatureGates(wanted map[string]bool) error {
	known := features.DefaultFeatureGate.GetAll()
	gates := map[string]bool{string(features.InPlaceNodeUpdates): true}
	for name, enabled := range wanted {
		if _, is := known[featuregate.Feature(name)]; !is {
			return fmt.Errorf("gardener-apiserver has no feature gate %q; check its spelling and case", name)
		}
		gates[name] = enabled
	}
	if err := features.DefaultFeatureGate.SetFromMap(gates); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	return nil
}

// Judge answers a question. It never fails: an answer without outcomes has an error.
func (j *Judge) Judge(q gardenerplugin.Question) (answer gardenerplugin.Answer) {
	defer func() {
		if r := recover(); r != nil {
			problem := fmt.Sprintf("Gardener's code panics in %s: %v", panicking(), r)
			answer = gardenerplugin.Answer{ID: q.ID, Error: problem}
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
	answer.OldRefusals = b.refusals
	answer.Assumed = slices.Clone(b.assumed)
	answer.Missing = slices.Clone(b.missing)
	if refusals := refusalsOfManifest(q.New); len(refusals) > 0 {
		answer.Outcomes = []gardenerplugin.Outcome{{Landscapes: landscapes, Refusals: refusals}}
		return answer, nil
	}
	return answer, j.changeBy(&answer, b, q)
}

// changeBy changes the stored Shoot in all ways in which the manifest may be applied.
func (j *Judge) changeBy(answer *gardenerplugin.Answer, b *before, q gardenerplugin.Question) error {
	updated, err := headOf(q.New)
	if err != nil {
		return err
	}
	ways, err := b.methodsOf(q, updated)
	if err != nil {
		return err
	}
	stated, err := decode(lenient, q.New)
	if err != nil {
		answer.Outcomes = []gardenerplugin.Outcome{{Landscapes: landscapes, Refusals: refusalsOf(byDecoding, err)}}
		return nil
	}
	all, err := j.outcomesBy(answer, b, q, ways, b.images.replacedBy(stated))
	if err != nil {
		return err
	}
	answer.Outcomes = joined(slices.Concat(all...))
	for _, outcomes := range all {
		for _, name := range dependsOn(joined(outcomes)) {
			if !slices.Contains(answer.DependsOn, name) {
				answer.DependsOn = append(answer.DependsOn, name)
			}
		}
	}
	if waysDiffer(all) {
		answer.DependsOn = append(answer.DependsOn, theWay)
	}
	return nil
}

// outcomesBy returns the outcomes of ways of applying a manifest. Of ways that send the same, the first is asked.
func (j *Judge) outcomesBy(answer *gardenerplugin.Answer, b *before, q gardenerplugin.Question, ways []string,
	unknown map[string]reason,
) (byWay [][]gardenerplugin.Outcome, err error) {
	updated, err := headOf(q.New)
	if err != nil {
		return nil, err
	}
	var asked []map[gardenerplugin.Landscape]*core.Shoot
	for _, way := range ways {
		sent, err := b.sent(answer, q.New, updated, way)
		if err != nil {
			byWay = append(byWay, []gardenerplugin.Outcome{
				{Landscapes: landscapes, Refusals: refusalsOf(byDecoding, err)},
			})
			continue
		}
		isAsked := slices.ContainsFunc(asked, func(other map[gardenerplugin.Landscape]*core.Shoot) bool {
			return reflect.DeepEqual(sent, other)
		})
		if isAsked {
			continue
		}
		asked = append(asked, copied(sent))
		outcomes, err := j.change(answer, b, sent, unknown)
		if err != nil {
			return nil, err
		}
		if isOther := way != byClient; isOther && q.Apply == "" {
			outcomes = j.used(b, way, outcomes)
		}
		if len(outcomes) > 0 {
			byWay = append(byWay, outcomes)
		}
	}
	return byWay, nil
}

// used returns outcomes without refusals in landscapes where a way is not used: where Gardener refuses even the old
// manifest if it is applied again in that way. So it refuses to replace a scheduled Shoot by a manifest without a seed.
func (j *Judge) used(b *before, way string, outcomes []gardenerplugin.Outcome) (judged []gardenerplugin.Outcome) {
	for _, o := range outcomes {
		if len(o.Refusals) > 0 && !b.head.isLive() {
			o.Landscapes = slices.DeleteFunc(slices.Clone(o.Landscapes), func(l gardenerplugin.Landscape) bool {
				return slices.Contains(j.unused(b, way), l)
			})
		}
		if len(o.Landscapes) > 0 {
			judged = append(judged, o)
		}
	}
	return judged
}

// unused returns the landscapes in which Gardener refuses the old manifest if it is applied again in a way.
func (j *Judge) unused(b *before, way string) []gardenerplugin.Landscape {
	if known, is := b.unused[way]; is {
		return known
	}
	var outcomes []gardenerplugin.Outcome
	sent, err := b.sent(&gardenerplugin.Answer{}, b.manifest, b.head, way)
	if err == nil {
		outcomes, err = j.change(&gardenerplugin.Answer{}, b, sent, nil)
	}
	refused := []gardenerplugin.Landscape{}
	for _, o := range outcomes {
		if err == nil && len(o.Refusals) > 0 {
			refused = append(refused, o.Landscapes...)
		}
	}
	b.unused[way] = refused
	return refused
}

// theWay is the name of what is not known if a question does not say how its manifest is applied.
const theWay = "the way in which the manifest is applied (client, server or replace)"

// waysDiffer reports whether ways of applying have different outcomes.
func waysDiffer(all [][]gardenerplugin.Outcome) bool {
	for _, outcomes := range all[1:] {
		if len(joined(slices.Concat(all[0], outcomes))) != len(joined(slices.Clone(all[0]))) {
			return true
		}
	}
	return false
}

func copied(sent map[gardenerplugin.Landscape]*core.Shoot) map[gardenerplugin.Landscape]*core.Shoot {
	all := map[gardenerplugin.Landscape]*core.Shoot{}
	for l, shoot := range sent {
		all[l] = shoot.DeepCopy()
	}
	return all
}

// change changes the stored Shoot in all landscapes. Unknown are the pools whose image is not known.
func (j *Judge) change(answer *gardenerplugin.Answer, b *before, sent map[gardenerplugin.Landscape]*core.Shoot,
	unknown map[string]reason,
) (outcomes []gardenerplugin.Outcome, err error) {
	missing, remove, err := j.permit(b.states[byDefault].shoot, sent[byDefault])
	if err != nil {
		return nil, err
	}
	defer remove()
	for _, m := range missing {
		if !slices.Contains(answer.Missing, m) {
			answer.Missing = append(answer.Missing, m)
		}
	}
	var first *request
	for _, l := range landscapes {
		r := j.request(b, sent[l], l, unknown)
		if first != nil && b.isDefault(l) && r.isSame(first) { // the rest of the server is the same
			outcomes[0].Landscapes = append(outcomes[0].Landscapes, l)
			continue
		}
		if first == nil {
			first = r.clone()
		}
		outcome, err := r.finish()
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

// request is a request for a change in one landscape, behind the mutating plugins.
type request struct {
	server    *server
	landscape gardenerplugin.Landscape
	before    *before
	unknown   map[string]reason
	shoot     *core.Shoot
	refusals  []gardenerplugin.Refusal
}

func (j *Judge) request(
	b *before, sent *core.Shoot, l gardenerplugin.Landscape, unknown map[string]reason,
) *request {
	r := &request{server: j.servers[l], landscape: l, before: b, shoot: sent, unknown: unknown}
	r.refusals = r.server.mutate(contextOf(sent), attributesOf(sent, b.states[l].shoot.DeepCopy(), admission.Update))
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
	outcome.Landscapes = []gardenerplugin.Landscape{r.landscape}
	outcome.Refusals = r.refusals
	if len(r.refusals) == 0 {
		outcome.Refusals = r.server.validateUpdate(r.shoot, r.before.states[r.landscape].shoot.DeepCopy())
	}
	if len(outcome.Refusals) > 0 {
		return outcome, nil
	}
	stored, err := toV1beta1(r.shoot)
	if err != nil {
		return outcome, err
	}
	outcome.Pools, err = poolsOf(r.before.states[r.landscape].versioned, stored, r.unknown)
	return outcome, err
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
	all := j.objects.permitted(versioned...).objects(versioned...)
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
// the merged object too, but there a member that stands twice is lost.
func refusalsOfManifest(manifest json.RawMessage) []gardenerplugin.Refusal {
	_, err := decode(strict, manifest)
	return refusalsOf(byDecoding, err)
}

// judgeNew answers for a Shoot that is created.
func (j *Judge) judgeNew(manifest json.RawMessage) (answer gardenerplugin.Answer, err error) {
	for _, l := range landscapes {
		outcome := gardenerplugin.Outcome{
			Landscapes: []gardenerplugin.Landscape{l}, Refusals: refusalsOfManifest(manifest),
		}
		if len(outcome.Refusals) == 0 {
			if err := j.created(&answer, &outcome, manifest, l); err != nil {
				return answer, err
			}
		}
		answer.Outcomes = append(answer.Outcomes, outcome)
	}
	answer.Outcomes = joined(answer.Outcomes)
	answer.DependsOn = dependsOn(answer.Outcomes)
	return answer, nil
}

func (j *Judge) created(answer *gardenerplugin.Answer, outcome *gardenerplugin.Outcome, manifest json.RawMessage,
	l gardenerplugin.Landscape,
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
	if outcome.Refusals = j.servers[l].admit(shoot); len(outcome.Refusals) > 0 {
		return nil
	}
	if outcome.Refusals = j.servers[l].store(shoot); len(outcome.Refusals) > 0 {
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

// assumedNamespace is the namespace of a manifest that has none: kubectl takes the namespace of its context.
const assumedNamespace = "garden-assumed"

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
	shoot.Namespace = cmp.Or(shoot.Namespace, assumedNamespace)
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
