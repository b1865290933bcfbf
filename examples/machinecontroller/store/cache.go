package store

import (
	"context"
	"maps"
	"time"
)

// Event is a write.
type Event struct {
	At         time.Time
	Key        Key
	Generation int64 // it grows when more than metadata or status was written
	Removed    bool

	changed document
}

// Cache is what one process has seen of a store: everything when it starts, and from then on every write after a lag. It is not safe for
// concurrent use.
type Cache struct {
	store   *Store
	lag     time.Duration
	objects map[Key]document
	seen    int // events
}

// NewCache returns a cache that is in sync.
func NewCache(s *Store, lag time.Duration) *Cache {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Cache{store: s, lag: lag, objects: maps.Clone(s.objects), seen: len(s.log)}
}

// Cached reads an object from a cache. The error is a NotFound of apimachinery if the cache has none.
func Cached[T any, P Object[T]](ctx context.Context, c *Cache, name string) (P, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return decode[T, P](c.objects, keyOf[T, P](name))
}

// Names lists the objects of a kind that the cache holds, sorted.
func (c *Cache) Names(kind string) []string { return namesIn(c.objects, kind) }

// Next returns when the next event reaches the cache, and false if none is under way.
func (c *Cache) Next() (time.Time, bool) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.seen == len(c.store.log) {
		return time.Time{}, false
	}
	return c.store.log[c.seen].At.Add(c.lag), true
}

// Sync takes in the events that have reached the cache by now, and returns them.
func (c *Cache) Sync() []Event {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	now := c.store.clock.Now()
	first := c.seen
	for c.seen < len(c.store.log) && !c.store.log[c.seen].At.Add(c.lag).After(now) {
		event := c.store.log[c.seen]
		c.objects[event.Key] = event.changed
		if event.Removed {
			delete(c.objects, event.Key)
		}
		c.seen++
	}
	return c.store.log[first:c.seen:c.seen]
}
