package login

import (
	"bytes"
	"context"
	"maps"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Timeout bounds a login. An HTTP client that a login makes for itself takes it too.
const Timeout = time.Minute

// The limits of a [Cache].
const (
	// lifetime is how long a client is used. It bounds how long credentials that are no longer in use
	// stay in memory, and how long a client that no longer works is used.
	lifetime = time.Hour
	// maxClients bounds the number of clients that are kept. A driver serves one cluster, so few are
	// in use.
	maxClients = 100
)

// Cache keeps clients by their credentials. Make it with [New]. It is safe for concurrent use.
type Cache[C any] struct {
	login func(ctx context.Context, secret map[string][]byte, scope string) (*C, error)

	mutex   sync.Mutex
	entries map[string]*entry[C] // by Key
	uses    uint64               // the number of calls of Client
}

// entry is a login that is under way, or the client of one that has succeeded.
type entry[C any] struct {
	ended  chan struct{} // closed when the login has ended
	client *C
	err    error

	// guarded by the mutex of the Cache; the uses are values of Cache.uses
	isEnded           bool
	firstUse, lastUse uint64
}

// New returns an empty Cache. Login logs in with the values of a secret, and returns a client. It
// does nothing else, and ends with its context.
func New[C any](login func(ctx context.Context, secret map[string][]byte, scope string) (*C, error)) *Cache[C] {
	return &Cache[C]{login: login, entries: map[string]*entry[C]{}}
}

// Client returns the client of a secret and a scope. If there is none, it logs in, or waits for a
// login that is under way. Scope names everything else that the client depends on, such as the
// region, and may be empty.
//
// The error is one of these:
//
//   - the unchanged error of the login, so that the driver finds the SDK's error in it;
//   - the error of ctx, if it ends first;
//   - a [*machineupdate.PanicError], if the login panicked. Its text may quote a value of the secret; the
//     kit hides it;
//   - a [*fault.Error] with the code login-timeout, if the login did not end within [Timeout]. It wraps
//     [context.DeadlineExceeded];
//   - a [*fault.Error] with the code unusable-login, if the login returned neither a client nor an
//     error, if it ended its goroutine, or if there is no login.
func (c *Cache[C]) Client(ctx context.Context, secret map[string][]byte, scope string) (*C, error) {
	if c == nil || c.login == nil {
		return nil, unusable("the function that logs in is missing", "make the Cache with New")
	}
	e, err := c.entry(ctx, secret, scope)
	if err != nil {
		return nil, err
	}
	select {
	case <-e.ended: // also if ctx is done
		return e.client, e.err
	default:
	}
	select {
	case <-e.ended:
		return e.client, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Forget drops a client, so that the next call of [Cache.Client] logs in. It does nothing if the
// client was dropped before, also if there is a newer client of the same credentials: of many updates
// whose token is refused, only the first causes a login.
func (c *Cache[C]) Forget(client *C) {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for key, e := range c.entries {
		if e.isEnded && e.client == client {
			delete(c.entries, key)
		}
	}
}

// entry returns the entry of a secret and a scope. It begins a login if there is none.
func (c *Cache[C]) entry(ctx context.Context, secret map[string][]byte, scope string) (*entry[C], error) {
	key := Key(secret, scope)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.uses++
	e := c.entries[key]
	if e == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e = &entry[C]{ended: make(chan struct{}), firstUse: c.uses}
		c.entries[key] = e
		c.begin(ctx, key, e, copied(secret), scope)
	}
	e.lastUse = c.uses
	return e, nil
}

// begin logs in, in a goroutine.
func (c *Cache[C]) begin(ctx context.Context, key string, e *entry[C], secret map[string][]byte, scope string) {
	shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
	context.AfterFunc(shared, func() { c.end(key, e, nil, errTimeout()) }) // without effect if it has ended
	go func() {
		defer cancel()
		var client *C
		err := unusable("the function ended its goroutine without returning", "return a client or an error")
		defer func() { c.end(key, e, client, err) }()
		client, err = c.attempt(shared, secret, scope)
	}()
}

// attempt calls the login and returns a panic as an error, so that it does not end the process.
func (c *Cache[C]) attempt(ctx context.Context, secret map[string][]byte, scope string) (client *C, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = machineupdate.NewPanicError(value)
		}
	}()
	client, err = c.login(ctx, secret, scope)
	switch {
	case err != nil:
		return nil, err
	case client == nil:
		return nil, unusable("the function returned neither a client nor an error", "return one of them")
	}
	return client, nil
}

// end ends a login with a client or an error. Only the first end counts.
func (c *Cache[C]) end(key string, e *entry[C], client *C, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if e.isEnded {
		return
	}
	e.isEnded = true
	e.client = client
	e.err = err
	close(e.ended)
	if err != nil {
		delete(c.entries, key)
		return
	}
	firstUse := e.firstUse // the timer keeps no client that is dropped earlier
	time.AfterFunc(lifetime, func() { c.expire(key, firstUse) })
	c.evict()
}

// expire drops the entry that was first used then, unless it was dropped before.
func (c *Cache[C]) expire(key string, firstUse uint64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if e := c.entries[key]; e != nil && e.firstUse == firstUse {
		delete(c.entries, key)
	}
}

// evict drops the client that was used least recently, if there are too many.
func (c *Cache[C]) evict() {
	kept := 0
	var oldest string
	for key, e := range c.entries {
		if !e.isEnded {
			continue
		}
		kept++
		if first := c.entries[oldest]; first == nil || e.lastUse < first.lastUse {
			oldest = key
		}
	}
	if kept > maxClients {
		delete(c.entries, oldest)
	}
}

// copied returns a copy of the values for a login.
func copied(secret map[string][]byte) map[string][]byte {
	own := maps.Clone(secret)
	delete(own, userData)
	for name, value := range own {
		own[name] = bytes.Clone(value)
	}
	return own
}

func unusable(what, hint string) error {
	return &fault.Error{Kind: fault.Misuse, Code: "unusable-login", Where: "login.Cache", What: what, Hint: hint}
}

func errTimeout() error {
	return &fault.Error{
		Kind: fault.Invalid, Code: fault.LoginTimeout, Where: "login.Cache",
		What: "the login did not end within " + Timeout.String(), Cause: context.DeadlineExceeded,
	}
}
