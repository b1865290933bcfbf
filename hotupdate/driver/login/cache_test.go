package login_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// client is a client with the number of its login. It is too large to share its memory with other
// objects, which would keep it.
type client struct {
	number int32
	size   [64]byte
}

// counted returns a login that numbers its clients and takes a second.
func counted(logins *atomic.Int32) func(context.Context, map[string][]byte, string) (*client, error) {
	return func(ctx context.Context, _ map[string][]byte, _ string) (*client, error) {
		time.Sleep(time.Second)
		return &client{number: logins.Add(1)}, ctx.Err()
	}
}

func secretOf(password string) map[string][]byte {
	return map[string][]byte{"username": []byte("mcm"), "password": []byte(password)}
}

// TestOneLogin: all who ask at once share a login, later ones use its client, and others have their
// own.
func TestOneLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		cache := login.New(counted(&logins))
		get := func(secret map[string][]byte, scope string) int32 {
			got, err := cache.Client(t.Context(), secret, scope)
			if !assert.NoError(t, err) {
				return 0
			}
			return got.number
		}
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				secret := secretOf("a")
				secret["userData"] = []byte("of class " + strconv.Itoa(i))
				assert.Equal(t, int32(1), get(secret, "eu-1"))
			})
		}
		all.Wait()
		assert.Equal(t, int32(1), get(secretOf("a"), "eu-1"))
		assert.Equal(t, int32(2), get(secretOf("b"), "eu-1"), "rotated")
		assert.Equal(t, int32(3), get(secretOf("a"), "eu-2"), "another region")
		assert.Equal(t, int32(1), get(secretOf("a"), "eu-1"), "the former stays")
	})
}

// TestTheLoginGetsTheValues: neither userData, nor what the caller writes into its secret later.
func TestTheLoginGetsTheValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got map[string][]byte
		cache := login.New(func(_ context.Context, secret map[string][]byte, scope string) (*client, error) {
			time.Sleep(time.Second)
			got = secret
			assert.Equal(t, "eu-1", scope)
			return &client{}, nil
		})
		secret := secretOf("a")
		secret["userData"] = []byte("bootstrap token")
		ending, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := cache.Client(ending, secret, "eu-1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		secret["password"][0] = 'b'
		delete(secret, "username")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, secretOf("a"), got)
	})
}

// TestNoSecret: a driver without a secret, such as one with a workload identity of its pod, has a
// client too.
func TestNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		cache := login.New(counted(&logins))
		for _, secret := range []map[string][]byte{nil, {}, {"userData": []byte("a")}} {
			got, err := cache.Client(t.Context(), secret, "")
			require.NoError(t, err)
			assert.Equal(t, int32(1), got.number)
		}
	})
}

// endless is the time of a login that ignores its context.
const endless = 10 * time.Minute

// TestFailures: what a login does wrong is an error of all of its callers, and is not kept.
func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		login func(ctx context.Context) (*client, error)
		want  string
	}{
		"an error":            {func(context.Context) (*client, error) { return &client{}, errRefused }, string(fails)},
		"a panic":             {func(context.Context) (*client, error) { panic("private") }, string(panics)},
		"no return":           {func(context.Context) (*client, error) { runtime.Goexit(); return &client{}, nil }, string(exits)},
		"no client":           {func(context.Context) (*client, error) { return nil, nil }, string(exits)}, //nolint:nilnil // the mistake
		"never ends":          {func(ctx context.Context) (*client, error) { <-ctx.Done(); return nil, ctx.Err() }, "too late"},
		"ignores its context": {func(context.Context) (*client, error) { time.Sleep(endless); return &client{}, nil }, "too late"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var healthy atomic.Bool
				cache := login.New(func(ctx context.Context, _ map[string][]byte, _ string) (*client, error) {
					if healthy.Load() {
						return &client{number: 2}, nil
					}
					return test.login(ctx)
				})
				began := time.Now()
				for range 2 {
					got, err := cache.Client(t.Context(), nil, "")
					assert.Equal(t, test.want, textOf(got, err))
				}
				assert.LessOrEqual(t, time.Since(began), 2*login.Timeout)
				healthy.Store(true)
				got, err := cache.Client(t.Context(), nil, "")
				assert.Equal(t, "client 2", textOf(got, err))
				time.Sleep(2 * endless)
				again, err := cache.Client(t.Context(), nil, "")
				require.NoError(t, err)
				assert.Same(t, got, again, "the client of a login that was given up is not used")
			})
		})
	}
}

// TestPanic: the error has the stack of the login, and no kind of the kit: the login may have sent
// something.
func TestPanic(t *testing.T) {
	cache := login.New(func(context.Context, map[string][]byte, string) (*client, error) {
		panic(machineupdate.ErrUnimplemented)
	})
	_, err := cache.Client(t.Context(), nil, "")
	problem, ok := errors.AsType[*machineupdate.PanicError](err)
	require.True(t, ok)
	assert.Contains(t, problem.Stack, "TestPanic")
	kind, _ := machineupdate.DriverErrorOf(err)
	assert.Empty(t, kind)
}

func assertCode(t *testing.T, err error, kind fault.ErrorKind, code string) {
	t.Helper()
	problem, ok := errors.AsType[*fault.Error](err)
	if assert.True(t, ok) {
		assert.Equal(t, kind, problem.Kind)
		assert.Equal(t, code, problem.Code)
	}
}

// TestWithoutALogin: a Cache that New has not made, or made of nothing.
func TestWithoutALogin(t *testing.T) {
	for _, cache := range []*login.Cache[client]{nil, {}, login.New[client](nil)} {
		_, err := cache.Client(t.Context(), nil, "")
		assertCode(t, err, fault.Misuse, "unusable-login")
		cache.Forget(nil)
		cache.Forget(&client{})
	}
}

// TestCanceled: a caller whose context has ended begins no login, and gets a client that is there.
func TestCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		cache := login.New(counted(&logins))
		over, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := cache.Client(over, nil, "")
		require.ErrorIs(t, err, context.Canceled)
		time.Sleep(time.Minute)
		assert.Zero(t, logins.Load())
		_, err = cache.Client(t.Context(), nil, "")
		require.NoError(t, err)
		for range 100 {
			_, err = cache.Client(over, nil, "")
			require.NoError(t, err)
		}
	})
}

type traceKey struct{}

// TestContext: the login has the values of its first caller and a deadline of its own.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := login.New(func(ctx context.Context, _ map[string][]byte, _ string) (*client, error) {
			assert.Equal(t, "trace", ctx.Value(traceKey{}))
			deadline, ok := ctx.Deadline()
			assert.True(t, ok)
			assert.Equal(t, login.Timeout, time.Until(deadline))
			return &client{}, nil
		})
		short, cancel := context.WithTimeout(context.WithValue(t.Context(), traceKey{}, "trace"), time.Second)
		defer cancel()
		_, err := cache.Client(short, nil, "")
		require.NoError(t, err)
	})
}

// TestLifetime: a client is used for an hour after its login, however often it is asked for, and does
// not stay in memory for longer, also if nobody asks again.
func TestLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		cache := login.New(counted(&logins))
		got, err := cache.Client(t.Context(), secretOf("a"), "")
		require.NoError(t, err)
		kept := weak.Make(got)
		for range 59 {
			time.Sleep(time.Minute)
			_, err := cache.Client(t.Context(), secretOf("a"), "")
			require.NoError(t, err)
		}
		assert.Equal(t, int32(1), logins.Load())
		runtime.GC()
		assert.NotNil(t, kept.Value())
		_, err = cache.Client(t.Context(), secretOf("b"), "")
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		runtime.GC()
		assert.Nil(t, kept.Value(), "it is in memory, and nobody uses it")
		_, err = cache.Client(t.Context(), secretOf("b"), "")
		require.NoError(t, err)
		assert.Equal(t, int32(2), logins.Load(), "the other is younger")
		_, err = cache.Client(t.Context(), secretOf("a"), "")
		require.NoError(t, err)
		assert.Equal(t, int32(3), logins.Load())
	})
}

// TestForget: the first of many updates with a refused token causes one login, and the last does not
// drop its client.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		cache := login.New(counted(&logins))
		get := func(scope string) *client {
			got, err := cache.Client(t.Context(), nil, scope)
			require.NoError(t, err)
			return got
		}
		kept := weak.Make(get("c"))
		cache.Forget(kept.Value())
		synctest.Wait() // the goroutine of the login ends
		runtime.GC()
		assert.Nil(t, kept.Value(), "it is in memory, and nobody uses it")
		refused := get("a")
		time.Sleep(time.Minute)
		other := get("b")
		cache.Forget(refused)
		renewed := get("a")
		assert.NotSame(t, refused, renewed)
		for range 100 {
			cache.Forget(refused)
			cache.Forget(&client{})
			cache.Forget(nil)
			assert.Same(t, renewed, get("a"))
		}
		assert.Same(t, other, get("b"))
		time.Sleep(login.Lifetime - 30*time.Second) // the lifetime of the refused client is over
		assert.Same(t, renewed, get("a"))
		go func() {
			time.Sleep(time.Millisecond)
			cache.Forget(renewed)
			cache.Forget(nil) // a login is under way
		}()
		assert.Same(t, renewed, get("a"))
		time.Sleep(time.Second)
		assert.NotSame(t, renewed, get("a"))
	})
}

// TestMaxClients: the client that was used least recently goes.
func TestMaxClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		cache := login.New(counted(&logins))
		get := func(i int) {
			_, err := cache.Client(t.Context(), secretOf(strconv.Itoa(i)), "")
			require.NoError(t, err)
		}
		for i := range login.MaxClients {
			get(i)
		}
		get(0)
		get(login.MaxClients) // drops 1
		assert.Equal(t, int32(login.MaxClients+1), logins.Load())
		for i := range login.MaxClients + 1 {
			if i != 1 {
				get(i)
			}
		}
		assert.Equal(t, int32(login.MaxClients+1), logins.Load())
		get(1)
		assert.Equal(t, int32(login.MaxClients+2), logins.Load())
	})
}

// TestLoginsUnderWayAreNoClients: they neither count nor go.
func TestLoginsUnderWayAreNoClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logins atomic.Int32
		fast := counted(&logins)
		cache := login.New(func(ctx context.Context, secret map[string][]byte, scope string) (*client, error) {
			if scope == "slow" {
				time.Sleep(10 * time.Second)
			}
			return fast(ctx, secret, scope)
		})
		var all sync.WaitGroup
		get := func(i int, scope string) {
			_, err := cache.Client(t.Context(), secretOf(strconv.Itoa(i)), scope)
			assert.NoError(t, err)
		}
		for i := range 10 {
			all.Go(func() { get(i, "slow") })
		}
		synctest.Wait()
		for i := range login.MaxClients {
			all.Go(func() { get(i, "") })
		}
		time.Sleep(2 * time.Second)
		assert.Equal(t, int32(login.MaxClients), logins.Load())
		for i := range login.MaxClients {
			get(i, "")
		}
		assert.Equal(t, int32(login.MaxClients), logins.Load(), "all are there")
		for i := range 10 {
			all.Go(func() { get(i, "slow") })
		}
		all.Wait()
		assert.Equal(t, int32(login.MaxClients+10), logins.Load())
	})
}

// TestErrorsHideSecrets: an error of the Cache itself shows no value.
func TestErrorsHideSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := login.New(func(ctx context.Context, _ map[string][]byte, _ string) (*client, error) {
			time.Sleep(2 * login.Timeout)
			return nil, nil //nolint:nilnil // it is not used
		})
		_, err := cache.Client(t.Context(), secretOf("private"), "private")
		assertCode(t, err, fault.Invalid, "login-timeout")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotContains(t, err.Error(), "private")
		assert.NotContains(t, fmt.Sprintf("%+v %#v", err, err), "private")
		time.Sleep(2 * login.Timeout)
	})
}

// TestParallel is for the race detector.
func TestParallel(t *testing.T) {
	var logins atomic.Int32
	cache := login.New(func(context.Context, map[string][]byte, string) (*client, error) {
		number := logins.Add(1)
		if number%3 == 0 {
			return nil, errors.New("refused")
		}
		return &client{number: number}, nil
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 500 {
				got, err := cache.Client(t.Context(), secretOf(strconv.Itoa(j%3)), "")
				if err == nil && (i+j)%7 == 0 {
					cache.Forget(got)
				}
				assert.Equal(t, err == nil, got != nil)
			}
		})
	}
	all.Wait()
}
