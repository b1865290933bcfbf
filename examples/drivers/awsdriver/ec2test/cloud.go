// Package ec2test simulates Amazon EC2 with its wire protocol (Query requests, XML answers), and with
// the properties that make hot updates hard:
//
//   - Reads are ReadLag old, or older with a [Fault]. They have pages.
//   - A resource has at most 50 infrastructure tags, of limited length. DeleteTags with a value
//     removes the key only if it has this value. Package fakecloud has these rules.
//   - Instances list foreign volumes and network interfaces among the resources of the launch.
//   - ModifyVolume is accepted at once, and takes effect or fails later. Then another one is
//     refused for a while.
//   - Calls are throttled.
//   - A request may fail, take effect without an answer, or take effect long after the client gave
//     up, see [Fault].
//
// It does not know machines. Real clients use it over HTTP, see [Cloud.ServeHTTP]. Tests and the
// story read it, and change foreign resources, by its methods.
package ec2test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Config configures a cloud.
type Config struct {
	AccessKeys []string      // known callers
	ReadLag    time.Duration // age of the state that reads show
	BootTime   time.Duration // an instance is pending for this time
	ModifyTime time.Duration // duration of a modification of a volume
	Cooldown   time.Duration // another modification is refused for this time
	PageSize   int           // most results of a page; zero is 1000
	Observe    func(Request) // called for every request in order, never concurrently; it may be nil
}

// Request is a request with its result.
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
	reads   *rate.Limiter     // nil for no limit
	writes  *rate.Limiter
}

// moment is the state of the cloud from a time on. States are never changed: a write makes a new
// one.
type moment struct {
	at    time.Time
	state state
}

// state has all readable resources, by ID.
type state map[string]Resource

// Resource is an instance, a volume or a network interface. Its parts are replaced, never changed.
type Resource struct {
	ID   string
	Kind string // instance, volume or network-interface, like in tag specifications
	Tags map[string]string

	// Of an instance.
	Image      string
	DNSName    string
	Launched   time.Time
	Terminated bool
	HTTPTokens string

	// Of volumes and network interfaces.
	Instance            string // the instance that it is attached to
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

// modification is the last modification of a volume. The zero value is none.
type modification struct {
	from, until      time.Time
	iops, throughput int
	fails            bool
}

// New returns an empty cloud.
func New(config Config) *Cloud {
	return &Cloud{
		config: config, history: []moment{{at: time.Now(), state: state{}}}, launch: map[string]string{},
		created: map[string]int{},
	}
}

// Limit sets limits for calls that read and for calls that write. Nil is no limit.
func (c *Cloud) Limit(reads, writes *rate.Limiter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads = reads
	c.writes = writes
}

// Resources returns all resources without lag, sorted by ID. Their members must not be changed.
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

// Resource returns a resource without lag, and false if it does not exist.
func (c *Cloud) Resource(id string) (Resource, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.present()[id]
	return r.asOf(time.Now()), ok && !r.Terminated
}

// Change changes a resource on behalf of another client.
func (c *Cloud) Change(id string, change func(*Resource)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.present()[id]
	r.Tags = maps.Clone(r.Tags)
	change(&r)
	c.write(r)
}

// Attach attaches a foreign volume or network interface to an instance. It returns the ID.
func (c *Cloud) Attach(r Resource) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.ID = c.newID(r.Kind)
	c.write(r)
	return r.ID
}

// present returns the state without lag.
func (c *Cloud) present() state { return c.history[len(c.history)-1].state }

// asOf returns the state at a time in the past. It is empty before the first write.
func (c *Cloud) asOf(t time.Time) state {
	for _, m := range slices.Backward(c.history) {
		if !m.at.After(t) {
			return m.state
		}
	}
	return state{}
}

// remembered is longer than the lag of any read.
const remembered = 30 * time.Second

// write makes the next state, with these resources replaced.
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

// asOf returns a volume with the effect of its modification at a time, and other resources
// unchanged.
func (r Resource) asOf(t time.Time) Resource {
	if m := r.modified; !m.from.IsZero() && !m.fails && !t.Before(m.until) {
		r.Iops = m.iops
		r.Throughput = m.throughput
	}
	return r
}

// state returns the state of the modification at a time.
func (m modification) state(t time.Time) string {
	switch {
	case t.Before(m.until):
		return "modifying"
	case m.fails:
		return "failed"
	}
	return "completed"
}
