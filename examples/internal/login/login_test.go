package login_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/examples/internal/login"
)

// counted returns a login that numbers its clients and takes a second.
func counted(logins *atomic.Int32) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		time.Sleep(time.Second)
		return strconv.Itoa(int(logins.Add(1))), ctx.Err()
	}
}

// TestOneLogin: all who ask at once share a login, later ones use it for an hour, and others have
// their own.
func TestOneLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		kept := login.NewCache[string]()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				client, err := kept.Client(t.Context(), []string{"user", "password"}, counted(&logins))
				assert.NoError(t, err)
				assert.Equal(t, "1", client)
			})
		}
		all.Wait()
		for credentials, want := range map[string]string{"password": "1", "another": "2"} {
			client, err := kept.Client(t.Context(), []string{"user", credentials}, counted(&logins))
			require.NoError(t, err)
			assert.Equal(t, want, client)
		}
		client, err := kept.Client(t.Context(), []string{"userpass", "word"}, counted(&logins))
		require.NoError(t, err)
		assert.Equal(t, "3", client, "parts are not joined")
	})
}

// TestFailedLogin: a failed login is not kept, and one that a caller does not wait for ends nobody
// else's.
func TestFailedLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		kept := login.NewCache[string]()
		refused := errors.New("refused")
		_, err := kept.Client(t.Context(), []string{"a"}, func(context.Context) (string, error) { return "", refused })
		require.ErrorIs(t, err, refused)
		ending, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err = kept.Client(ending, []string{"a"}, counted(&logins))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		client, err := kept.Client(t.Context(), []string{"a"}, counted(&logins))
		require.NoError(t, err)
		assert.Equal(t, "1", client, "the login went on")
	})
}

// TestEndlessLogin: a login ends after a minute at the latest.
func TestEndlessLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := login.NewCache[string]().Client(t.Context(), nil, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
