// Package login keeps a driver's logins: an update uses the client, and the token in it, of an
// earlier update with the same credentials.
package login

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
)

const (
	// lifetime is how long a client is used. It bounds how long credentials stay in memory that are
	// no longer in use.
	lifetime = time.Hour
	// timeout bounds a login, which no single update may end.
	timeout = time.Minute
	// most is the number of clients that are kept. A driver serves one cluster, so few are in use.
	most = 100
)

// Cache keeps a client for each set of credentials. Make it with [NewCache]. It is safe for
// concurrent use.
type Cache[C any] struct {
	clients *cache.LRUExpireCache
	logins  singleflight.Group
}

// NewCache returns an empty cache.
func NewCache[C any]() *Cache[C] { return &Cache[C]{clients: cache.NewLRUExpireCache(most)} }

// Client returns the client of these credentials. If there is none, it calls login, once for all
// callers that ask while it is under way. A login that fails is not kept. The context of login is
// separate from the contexts of the callers: it ends after a minute, and a caller whose context ends
// waits no longer.
func (c *Cache[C]) Client(
	ctx context.Context, credentials []string, login func(ctx context.Context) (C, error),
) (C, error) {
	key := digest(credentials)
	if found, ok := c.clients.Get(key); ok {
		return found.(C), nil //nolint:forcetypeassert // the cache holds nothing else
	}
	answer := c.logins.DoChan(key, func() (any, error) {
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		client, err := login(shared)
		if err == nil {
			c.clients.Add(key, client, lifetime)
		}
		return client, err
	})
	var none C
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case result := <-answer:
		if result.Err != nil {
			return none, result.Err
		}
		return result.Val.(C), nil //nolint:forcetypeassert // as above
	}
}

// digest names credentials without keeping them.
func digest(credentials []string) string {
	hash := sha256.New()
	for _, part := range credentials {
		_, _ = fmt.Fprintf(hash, "%d %s", len(part), part) // a hash returns no errors
	}
	return string(hash.Sum(nil))
}
