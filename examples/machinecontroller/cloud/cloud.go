// Package cloud simulates a cloud that is like Amazon EC2 in what makes updates of infrastructure tags hard:
//
//   - Reads show the past: what was written ReadLag ago, or longer if a [Fault] says so.
//   - A resource carries at most 50 infrastructure tags, of limited length; those of the cloud itself (aws:) do not count.
//   - DeleteTags with a value removes the key only if that is its value.
//   - Instances list the volumes and network interfaces that others attached among those of the launch.
//   - Calls are throttled.
//   - A request may fail, take effect without an answer, or take effect long after the client gave up waiting, see [Fault].
//
// Its API is package cloudapi, over HTTP. It knows nothing of machines, and of the tags of the library that it tests: its rules are its
// own.
package cloud

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/cloudapi"
)

// Config is how a cloud behaves.
type Config struct {
	// Clock is the time of the cloud.
	Clock *clock.Clock
	// AccessKeys are the callers that the cloud knows.
	AccessKeys []string
	// ReadLag is how old the state is that reads show.
	ReadLag time.Duration
	// BootTime is how long an instance is pending.
	BootTime time.Duration
	// Reads and Writes are the limits of calls. The zero value is no limit.
	Reads, Writes Rate
}

// Rate limits calls: a burst at once, and as many as refill it.
type Rate struct {
	Burst     int
	PerSecond float64
}

// Request is a request that arrived, and what became of it.
type Request struct {
	At        time.Time
	AccessKey string
	Action    cloudapi.Action
	Body      any // the request of package cloudapi
	Outcome   string
}

// Cloud is the simulated cloud. It is safe for concurrent use.
type Cloud struct {
	config Config

	mu      sync.Mutex
	history []moment // ascending, never empty
	arrived []Request
	late    []late // ascending
	faults  []Fault
	tokens  map[string]string // client token to instance
	created map[cloudapi.ResourceType]int
	reads   bucket
	writes  bucket
}

// moment is the state of the cloud from a time on. States are never changed: a write makes the next one.
type moment struct {
	at    time.Time
	state state
}

// state is everything that reads can see.
type state map[string]resource

// resource is an instance, a volume or a network interface. Its parts are replaced, never changed.
type resource struct {
	kind cloudapi.ResourceType
	tags map[string]string

	// of instances
	launched        time.Time
	terminated      bool
	sourceDestCheck bool
	blockDevices    []blockDevice
	interfaces      []networkInterface
}

// blockDevice is an attached volume; those of the launch go with the instance.
type blockDevice struct {
	cloudapi.BlockDevice
	ofLaunch bool
}

// networkInterface is an attached network interface; those of the launch go with the instance.
type networkInterface struct {
	cloudapi.Interface
	ofLaunch bool
}

// late is a request that takes effect at a later time.
type late struct {
	at     time.Time
	action cloudapi.Action
	body   any
}

// New returns an empty cloud.
func New(config Config) *Cloud {
	now := config.Clock.Now()
	return &Cloud{
		config:  config,
		history: []moment{{at: now, state: state{}}},
		tokens:  map[string]string{},
		created: map[cloudapi.ResourceType]int{},
		reads:   bucket{rate: config.Reads, tokens: float64(config.Reads.Burst), filled: now},
		writes:  bucket{rate: config.Writes, tokens: float64(config.Writes.Burst), filled: now},
	}
}

// Tags returns the infrastructure tags that a resource has at this moment, without lag, and false if there is no such resource.
func (c *Cloud) Tags(id string) (map[string]string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land()
	r, ok := c.present()[id]
	return maps.Clone(r.tags), ok && !r.terminated
}

// Resources returns the IDs of everything that exists, sorted.
func (c *Cloud) Resources() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land()
	var ids []string
	for id, r := range c.present() {
		if !r.terminated {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Instances describes every instance that is not terminated as it is at this moment, without lag, sorted by ID.
func (c *Cloud) Instances() []cloudapi.InstanceDescription {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land()
	var all []cloudapi.InstanceDescription
	for _, id := range slices.Sorted(maps.Keys(c.present())) {
		if r := c.present()[id]; r.kind == cloudapi.Instance && !r.terminated {
			all = append(all, c.instance(c.config.Clock.Now(), id, r))
		}
	}
	return all
}

// present is the state without lag.
func (c *Cloud) present() state { return c.history[len(c.history)-1].state }

// asOf is the state at a time in the past. Before the beginning there was nothing.
func (c *Cloud) asOf(t time.Time) state {
	for _, m := range slices.Backward(c.history) {
		if !m.at.After(t) {
			return m.state
		}
	}
	return state{}
}

// write makes the next state.
func (c *Cloud) write(at time.Time, change func(state)) {
	next := maps.Clone(c.present())
	change(next)
	c.history = append(c.history, moment{at: at, state: next})
}

// land lets the late requests take effect whose time has come.
func (c *Cloud) land() {
	now := c.config.Clock.Now()
	for len(c.late) > 0 && !c.late[0].at.After(now) {
		l := c.late[0]
		c.late = c.late[1:]
		_, err := c.perform(l.at, l.action, l.body)
		outcome := "took effect, after nobody waited for it any more"
		if err != nil {
			outcome = "refused, after nobody waited for it any more: " + string(cloudapi.CodeOf(err))
		}
		c.note(Request{At: l.at, Action: l.action, Body: l.body, Outcome: outcome})
	}
}

// note keeps what became of a request.
func (c *Cloud) note(r Request) { c.arrived = append(c.arrived, r) }

// TakeRequests returns the requests that arrived, or took effect late, since it was called last, in their order.
func (c *Cloud) TakeRequests() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.land()
	taken := c.arrived
	c.arrived = nil
	return taken
}

// newID returns i-1, vol-1, eni-1 and so on.
func (c *Cloud) newID(kind cloudapi.ResourceType) string {
	c.created[kind]++
	prefix := "i"
	switch kind {
	case cloudapi.Volume:
		prefix = "vol"
	case cloudapi.NetworkInterface:
		prefix = "eni"
	case cloudapi.Instance:
	}
	return fmt.Sprintf("%s-%d", prefix, c.created[kind])
}

// bucket is a token bucket.
type bucket struct {
	rate   Rate
	tokens float64
	filled time.Time
}

// take reports whether a call is allowed.
func (b *bucket) take(now time.Time) bool {
	if b.rate == (Rate{}) {
		return true
	}
	b.tokens = min(float64(b.rate.Burst), b.tokens+now.Sub(b.filled).Seconds()*b.rate.PerSecond)
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
