// Package cloud simulates Amazon EC2 behind its own wire protocol (Query requests, XML answers), with what makes hot updates hard:
//
//   - Reads show the past: what was written ReadLag ago, or longer if a [Fault] says so. They come in pages.
//   - A resource carries at most 50 infrastructure tags, of limited length; those of the cloud itself (aws:) do not count.
//   - DeleteTags with a value removes the key only if that is its value.
//   - Instances list the volumes and network interfaces that others attached among those of the launch.
//   - ModifyVolume is accepted at once, takes effect later or fails, and is then refused for a while.
//   - Calls are throttled.
//   - A request may fail, take effect without an answer, or take effect long after the client gave up waiting, see [Fault].
//
// It knows nothing of machines, and nothing of the library: its rules are its own. Real clients reach it over HTTP, see [Cloud.ServeHTTP];
// tests and the story look at it, and act for others, by its methods.
package cloud

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Config is how a cloud behaves.
type Config struct {
	AccessKeys []string      // the callers that the cloud knows
	ReadLag    time.Duration // how old the state is that reads show
	BootTime   time.Duration // how long an instance is pending
	ModifyTime time.Duration // how long a modification of a volume takes
	Cooldown   time.Duration // how long after its begin another is refused
	PageSize   int           // how many results a page has at most; zero is 1000
	Observe    func(Request) // is told of every request in order, while nothing else happens; it may be nil
}

// Request is a request that arrived, and what became of it.
type Request struct {
	AccessKey  string // empty if the request takes effect late
	Action     string
	Parameters url.Values
	Outcome    string
}

// Cloud is the simulated cloud. It is safe for concurrent use.
type Cloud struct {
	config Config

	mu      sync.Mutex
	history []moment // ascending, never empty
	faults  []Fault
	late    []*late
	launch  map[string]string // client token to instance
	created map[string]int    // resources by prefix of their IDs
	reads   *rate.Limiter     // nil is no limit
	writes  *rate.Limiter
}

// moment is the state of the cloud from a time on. States are never changed: a write makes the next one.
type moment struct {
	at    time.Time
	state state
}

// state is everything that reads can see, by ID.
type state map[string]Resource

// Resource is an instance, a volume or a network interface. Its parts are replaced, never changed.
type Resource struct {
	ID   string
	Kind string // instance, volume or network-interface, as in tag specifications
	Tags map[string]string

	// Of an instance.
	Image      string
	DNSName    string
	Launched   time.Time
	Terminated bool
	HTTPTokens string

	// Of volumes and network interfaces.
	Instance            string // to which it is attached
	DeleteOnTermination bool

	// Of a volume.
	Device     string
	Iops       int
	Throughput int
	modified   modification

	// Of a network interface.
	DeviceIndex, NetworkCardIndex int
	InterfaceType                 string
	SourceDestCheck               bool
	Ipv6Prefixes                  []string
}

// modification is the last one of a volume. The zero value is none.
type modification struct {
	from, until      time.Time
	iops, throughput int
	fails            bool
}

// New returns an empty cloud.
func New(config Config) *Cloud {
	return &Cloud{config: config, history: []moment{{at: time.Now(), state: state{}}}, launch: map[string]string{}, created: map[string]int{}}
}

// Limit limits calls that read and calls that write. Nil is no limit.
func (c *Cloud) Limit(reads, writes *rate.Limiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads, c.writes = reads, writes
}

// Resources returns everything that exists at this moment, without lag, sorted by ID. Its members are not to be changed.
func (c *Cloud) Resources() []Resource {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	var all []Resource
	for _, id := range slices.Sorted(maps.Keys(c.present())) {
		if r := c.present()[id]; !r.Terminated {
			all = append(all, r.asOf(now))
		}
	}
	return all
}

// Resource returns a resource as it is at this moment, without lag, and false if it does not exist.
func (c *Cloud) Resource(id string) (Resource, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.present()[id]
	return r.asOf(time.Now()), ok && !r.Terminated
}

// Change is somebody else who changes a resource.
func (c *Cloud) Change(id string, change func(*Resource)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.present()[id]
	r.Tags = maps.Clone(r.Tags)
	change(&r)
	c.write(r)
}

// Attach is somebody else who attaches a volume or a network interface of their own to an instance. It returns the ID.
func (c *Cloud) Attach(r Resource) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.ID = c.newID(r.Kind)
	c.write(r)
	return r.ID
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

// remembered is longer than any read looks back.
const remembered = 30 * time.Second

// write makes the next state, in which these resources are replaced.
func (c *Cloud) write(changed ...Resource) {
	next := maps.Clone(c.present())
	for _, r := range changed {
		next[r.ID] = r
	}
	now := time.Now()
	old := slices.IndexFunc(c.history, func(m moment) bool { return now.Sub(m.at) < remembered })
	c.history = append(slices.Delete(c.history, 0, max(0, old-1)), moment{at: now, state: next})
}

// The kinds of resources.
const (
	Instance         = "instance"
	Volume           = "volume"
	NetworkInterface = "network-interface"
)

// newID returns i-1, vol-1, eni-1 and so on.
func (c *Cloud) newID(kind string) string {
	prefix := map[string]string{Instance: "i", Volume: "vol", NetworkInterface: "eni"}[kind]
	c.created[prefix]++
	return fmt.Sprintf("%s-%d", prefix, c.created[prefix])
}

// asOf is the volume with what its modification has done by a time; any other resource is as it is.
func (r Resource) asOf(t time.Time) Resource {
	if m := r.modified; !m.from.IsZero() && !m.fails && !t.Before(m.until) {
		r.Iops, r.Throughput = m.iops, m.throughput
	}
	return r
}

// modificationState is what the cloud says of the modification at a time.
func (m modification) state(t time.Time) string {
	switch {
	case t.Before(m.until):
		return "modifying"
	case m.fails:
		return "failed"
	}
	return "completed"
}
