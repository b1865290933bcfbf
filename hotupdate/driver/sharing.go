package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/digest"
	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/share"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// Sharing lets the updates of several machines share calls, and paces their calls. The zero value
// does neither. See "Shared calls" in CALLS.md.
type Sharing[C any] struct {
	// Key returns what must be equal for a call to be shared: the region, the endpoint, and the
	// credentials, of which the kit keeps a digest. Key of package login returns one of credentials
	// and region. A function that makes a shared call may use only the parts of C that Key returns.
	Key func(cloud C) []string
	// Buckets are the quotas of the cloud, of which the kit spends half. A function that draws from
	// no bucket is neither paced nor shared.
	Buckets []Bucket
	// Resources reads several machines, at most MaxMachines, and calls answer once for each from
	// the same goroutine: without resources if there is no VM. A machine without an answer fails, and is
	// read again by its next update: leave out a machine of which a read does not show all resources
	// yet. Nil reads each machine alone.
	Resources func(ctx context.Context, clouds []C, answer func(providerID string, live []Resource)) error
	// MaxMachines is the largest number of machines that the cloud shows in one read. Where Resources
	// lists a whole project the cloud has no bound; 1000 is usual.
	MaxMachines int
	// Divisible reports whether the cloud refused a call because of some of its resources only, and
	// which if the error names them. Then the call is divided. Names that are not in the call are
	// ignored. Resources of a read are provider IDs. Nil divides no call.
	Divisible func(err error) (rejected []string, ok bool)
}

// Bucket is a quota of the cloud in the form of a token bucket that is refilled continuously. There
// is one for each Key and Name. The kit spends half of its burst and half of its refill, because
// creations and other programs use the same account.
type Bucket struct {
	Name string
	// Burst is the number of requests that the cloud admits at once after an idle period, and Refill the
	// number that it admits a second thereafter, both as the cloud documents them. [Windows] returns them
	// for a cloud that counts requests in windows of time.
	Burst, Refill float64
	// Requests is the number of requests that one call of a function draws from the bucket. The
	// functions are Resources, Set, Remove, Replace, Modify, AddMember and RemoveMember. If a
	// function draws from other buckets for some kind of resource, give the kind a separate entry,
	// such as "Modify disk", in each of these buckets. Set and Remove count for the first kind of
	// their Tagging. The read before a Replace is counted by the kit. If a call may need more
	// requests, such as the pages of a list, pass those that it made beyond this number to [Spend].
	Requests map[string]int
}

// Windows returns the burst and refill of a bucket for a quota of requests in a window of time. The
// bucket never exceeds the quota, whenever the window begins: a fifth is admitted at once, and the
// rest evenly. For 1,500 requests a minute that is 300 at once, and 20 a second.
func Windows(requests int, window time.Duration) (burst, refill float64) {
	burst = float64(requests) / 5
	return burst, 4 * burst / window.Seconds()
}

// Spend draws further requests from a bucket for the call whose context it gets, see [Bucket]. The next
// calls wait until they are paid for. It does nothing in calls that are not paced.
func Spend(ctx context.Context, bucket string, requests int) { share.Spend(ctx, bucket, requests) }

// member is one machine's part in a shared call.
type member[C any] struct {
	cloud   C
	id      string   // the provider ID
	ids     []string // what the call names for the machine
	secrets []string // texts that no error of the call may show
	live    []Resource
	err     error // about the machine alone
}

// key returns a digest, so that no credentials stay in memory longer than their update.
func (s *Sharing[C]) key(cloud C) string { return digest.Of(s.Key(cloud)) }

// action returns the cloud action of a function, without a bucket if it is not paced.
func (s *Sharing[C]) action(key, function string, kind tags.Kind) share.Action {
	name := function + " " + string(kind)
	draws := s.draws(name)
	if len(draws) == 0 {
		name = function
		draws = s.draws(name)
	}
	return share.Action{Key: key, Name: name, Draws: draws}
}

// draws returns what a call draws from each bucket.
func (s *Sharing[C]) draws(name string) (found []share.Draw) {
	for i := range s.Buckets {
		b := &s.Buckets[i]
		if b.Requests[name] > 0 {
			limit := share.Limit{Burst: b.Burst, Refill: b.Refill}
			found = append(found, share.Draw{Bucket: b.Name, Limit: limit, Requests: b.Requests[name]})
		}
	}
	return found
}

// rereads returns the action of a paced call before which the resources are read again.
func (s *Sharing[C]) rereads(a share.Action) share.Action {
	if len(a.Draws) == 0 {
		return a
	}
	a.Name += " after Resources"
	for _, read := range s.draws("Resources") {
		at := slices.IndexFunc(a.Draws, func(d share.Draw) bool { return d.Bucket == read.Bucket })
		if at < 0 {
			a.Draws = append(a.Draws, read)
		} else {
			a.Draws[at].Requests += read.Requests
		}
	}
	return a
}

func (d *Definition[T, C]) checkSharing(require require) {
	s := &d.Sharing
	require(s.Key != nil || s.isUnset(), "Sharing.Key", "must be set if other fields of Sharing are set")
	hasMachines := s.MaxMachines > 0
	var fits bool
	if s.Resources == nil {
		fits = !hasMachines
	} else {
		fits = hasMachines && len(s.draws("Resources")) > 0
	}
	require(fits, "Sharing.Resources", "needs MaxMachines and a bucket; MaxMachines must not be set without it")
	names := map[string]bool{}
	for i := range s.Buckets {
		b := &s.Buckets[i]
		require(b.Name != "" && !names[b.Name], "Sharing.Buckets", "must have different names, and no empty one")
		names[b.Name] = true
		b.check(require)
	}
	for i := range d.Tags {
		t := &d.Tags[i]
		if t.Replace == nil {
			continue
		}
		for _, kind := range t.Kinds {
			for _, draw := range s.rereads(s.action("", "Replace", kind)).Draws {
				require(float64(draw.Requests) <= draw.Burst/2, "Sharing.Buckets",
					"must hold twice the requests of a Replace with the read before it: "+strconv.Quote(draw.Bucket))
			}
		}
	}
}

// check checks a bucket alone.
func (b *Bucket) check(require require) {
	of := " in the bucket " + strconv.Quote(b.Name)
	require(b.Refill >= 0.01 && b.Refill <= 1e6, "Sharing.Buckets",
		"must be refilled by 0.01 to a million requests a second:"+of)
	require(b.Burst <= 1e6, "Sharing.Buckets", "must hold a million requests at the most:"+of)
	for _, name := range slices.Sorted(maps.Keys(b.Requests)) {
		require(isAction(name), "Sharing.Buckets",
			"must name functions of the Definition, with or without a kind, and has "+strconv.Quote(name)+of)
		requests := b.Requests[name]
		require(requests > 0 && float64(requests) <= b.Burst/2, "Sharing.Buckets",
			"must hold twice the requests of a call, which are at least one; "+strconv.Quote(name)+of)
	}
}

// isUnset reports whether no field but Key is set.
func (s *Sharing[C]) isUnset() bool {
	hasNumbers := len(s.Buckets) > 0 || s.MaxMachines != 0
	hasFunctions := s.Resources != nil || s.Divisible != nil
	return !hasNumbers && !hasFunctions
}

// isAction reports whether a text is a function of the Definition, alone or, unless it reads, with a
// kind of resource.
func isAction(name string) bool {
	function, kind, hasKind := strings.Cut(name, " ")
	switch function {
	case "Resources":
		return !hasKind
	case "Set", "Remove", "Replace", "Modify", "AddMember", "RemoveMember":
		return !hasKind || isKind(tags.Kind(kind))
	}
	return false
}

// maxResources is the number of resources that one shared Set or Remove may name, unless the Rules
// have a lower bound.
const maxResources = 100

// bound returns how many resources one Set or Remove of a Tagging may name. If such calls are not
// shared, it returns any, the number of all resources.
func (s *Sharing[C]) bound(kind tags.Kind, function string, rules *tags.Rules, any int) int {
	if len(s.action("", function, kind).Draws) == 0 {
		return any
	}
	return min(maxResources, max(rules.ResourcesPerCall, 1))
}

// equalText returns the content of a call apart from its resources. The values of a removal are
// part of it only if they are its condition.
func equalText(kind tags.Kind, rules *tags.Rules, batch *tags.Batch) string {
	text := []string{string(kind)} // of the Tagging
	for _, tag := range batch.Set {
		text = append(text, "set", tag.Key, tag.Value)
	}
	for _, tag := range batch.Remove {
		text = append(text, "remove", tag.Key)
		if rules.Guard == tags.GuardValue {
			text = append(text, tag.Value)
		}
	}
	return fmt.Sprintf("%q", text)
}

// connect connects to the cloud and reads the machine, together with others if Sharing has the
// function for it.
func (u *update[T, C]) connect(ctx context.Context) ([]Resource, error) {
	d := &u.definition
	s := &u.definition.Sharing
	login := func(ctx context.Context) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		u.cloud, err = d.Connect(ctx, u.request, u.class)
		err = d.translated(u.cloud, err)
		if err != nil {
			d.Count("Resources", outcomeOf(err))
		}
		return err
	}
	err := u.repeat(ctx, machineupdate.ErrUnavailable, maxAttempts, func(ctx context.Context) error {
		return u.repeat(ctx, machineupdate.ErrThrottled, unbounded, login)
	})
	if err != nil {
		return nil, err
	}
	if s.Key != nil {
		u.key = s.key(u.cloud)
	}
	part := &share.Member[*member[C]]{IDs: []string{u.request.ProviderID}, Bound: 1}
	send := func(ctx context.Context, members []*member[C]) (err error) {
		members[0].live, err = d.Resources(ctx, members[0].cloud)
		return err
	}
	if s.Resources != nil {
		part.Bound = s.MaxMachines
		part.Equal = "lane " + u.request.Lane
		send = u.readMany
	}
	action := func() share.Action { return s.action(u.key, "Resources", "") }
	return u.do(ctx, maxAttempts, action, part, send)
}

// resources reads the machine alone.
func (u *update[T, C]) resources(ctx context.Context) ([]Resource, error) {
	if u.definition.Resources != nil {
		return u.definition.Resources(ctx, u.cloud)
	}
	own := &member[C]{cloud: u.cloud, id: u.request.ProviderID}
	err := u.readMany(ctx, []*member[C]{own})
	if err != nil {
		return own.live, err
	}
	return own.live, own.err
}

// do makes a call that machines may share, at most so many times while the cloud fails to answer it.
func (u *update[T, C]) do(
	ctx context.Context, attempts int, action func() share.Action, part *share.Member[*member[C]],
	send func(context.Context, []*member[C]) error,
) (live []Resource, err error) {
	err = u.repeat(ctx, machineupdate.ErrUnavailable, attempts, func(ctx context.Context) (err error) {
		again := &share.Member[*member[C]]{IDs: part.IDs, Equal: part.Equal, Bound: part.Bound, Rank: u.request.Rank}
		live, err = u.join(ctx, action(), again, send)
		return err
	})
	return live, err
}

// join makes a call, together with the machines that wait for the same one.
func (u *update[T, C]) join(
	ctx context.Context, action share.Action, part *share.Member[*member[C]],
	send func(context.Context, []*member[C]) error,
) ([]Resource, error) {
	function, _, _ := strings.Cut(action.Name, " ")
	own := &member[C]{cloud: u.cloud, id: u.request.ProviderID, ids: part.IDs, secrets: slices.Clone(u.secrets)}
	call := func(ctx context.Context, members []*member[C]) error {
		first := members[0]
		return u.once(ctx, first.cloud, first.id, function, func(ctx context.Context) error {
			return send(ctx, members)
		})
	}
	if len(action.Draws) == 0 {
		err := u.repeat(ctx, machineupdate.ErrThrottled, unbounded, func(ctx context.Context) error {
			return call(ctx, []*member[C]{own})
		})
		if err != nil {
			return own.live, err
		}
		return own.live, own.err
	}
	part.Payload = own
	part.Action = action
	members, err := u.shell.Do(ctx, part,
		func(ctx context.Context, members []*member[C]) (share.Answer, error) {
			err := call(ctx, members)
			return answerOf(err, u.definition.Sharing.Divisible), err
		})
	if err != nil {
		return nil, own.see(err, members)
	}
	return own.live, own.err
}

func answerOf(err error, divisible func(err error) ([]string, bool)) share.Answer {
	kind, after := machineupdate.DriverErrorOf(err)
	switch {
	case err == nil:
	case kind == machineupdate.ErrThrottled && after <= share.MaxNamedDelay:
		return share.Answer{Outcome: share.Throttled, After: after}
	case divisible != nil:
		if rejected, ok := divisible(err); ok {
			return share.Answer{Outcome: share.Divisible, Rejected: rejected}
		}
	}
	return share.Answer{}
}

// readMany reads the machines of all members. A machine is updated by its own answer only.
func (k *Kit[T, C]) readMany(ctx context.Context, members []*member[C]) error {
	clouds := make([]C, len(members))
	asked := map[string]*member[C]{}
	answers := map[string]int{}
	owner := map[string]string{}
	for i, m := range members {
		clouds[i] = m.cloud
		asked[m.id] = m
		m.live = nil
		m.err = nil
	}
	var stray error
	err := k.definition.Sharing.Resources(ctx, clouds, func(providerID string, live []Resource) {
		m := asked[providerID]
		if m == nil {
			if stray == nil {
				stray = unusableAnswer(providerID, "is answered, and was not asked for")
			}
			return
		}
		answers[providerID]++
		if answers[providerID] > 1 {
			m.err = unusableAnswer(providerID, "is answered twice")
		}
		m.live = live
		for _, r := range live {
			if r.IsMissing {
				continue
			}
			if other, isOwned := owner[r.text()]; isOwned && other != providerID {
				m.err = unusableAnswer(providerID, "is answered with a resource of another machine")
				asked[other].err = unusableAnswer(other, "is answered with a resource of another machine")
			}
			owner[r.text()] = providerID
		}
	})
	if err != nil {
		return err
	}
	if stray != nil {
		return stray
	}
	for id, m := range asked {
		if answers[id] == 0 {
			m.err = unusableAnswer(id, "is not answered; a VM that is gone is answered without resources")
		}
	}
	return nil
}

func unusableAnswer(providerID, what string) error {
	return &fault.Error{
		Kind: fault.Misuse, Code: "unusable-answer", Where: "Sharing.Resources", Path: providerID, What: what,
	}
}

// shown is the error of a shared call as one of its members sees it: the text, and the kind if it
// concerns the member, too. MCM's codes are not searched for in its text, as they are in the text
// of other errors.
type shown struct {
	text string
	kind error
}

func (s *shown) Error() string { return s.text }
func (s *shown) Unwrap() error { return s.kind }

// ofAll are the kinds of errors of a shared call that concern each of its members.
var ofAll = []machineupdate.DriverError{
	machineupdate.ErrThrottled, machineupdate.ErrUnavailable, machineupdate.ErrPending,
	machineupdate.ErrUnimplemented,
}

// see returns the error of a call as one of its members may see it. If the call has other members,
// their values and resources are hidden, also in a wrapped error, and NotFound proves nothing: it
// may be about their resources.
func (m *member[C]) see(err error, members []*member[C]) error {
	if len(members) < 2 {
		return err
	}
	var secrets, ids []string
	for _, other := range members {
		secrets = append(secrets, other.secrets...)
		ids = append(ids, other.ids...)
	}
	kind, after := machineupdate.DriverErrorOf(err)
	text := func(whole string) string { return redact(redact(whole, secrets, nil), ids, m.ids) }
	own := &shown{text: text(err.Error())}
	problem, isPanic := errors.AsType[*machineupdate.PanicError](err)
	switch {
	case isPanic:
		own.kind = &machineupdate.PanicError{Value: text(problem.Value), Stack: problem.Stack}
	case slices.Contains(ofAll, kind):
		own.kind = kind
	}
	switch {
	case after > 0:
		return &machineupdate.RetryError{After: after, Err: own}
	case isExhausted(err):
		return &exhaustedError{own}
	}
	return own
}
