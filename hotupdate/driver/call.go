package driver

import (
	"context"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// The delays before a throttled call is made again. They double.
const (
	firstDelay = time.Second
	maxDelay   = 20 * time.Second
)

// call makes a call until the cloud does not throttle it or the context is done. The delays depend on the machine, so that machines that were
// throttled together do not return together. If the cloud names a longer delay than maxDelay, the flow repeats the update.
func (u *update[T, C]) call(ctx context.Context, function string, f func(context.Context) error) error {
	delay := firstDelay
	for try := 0; ; try++ {
		err := u.once(ctx, function, f)
		kind, after := machineupdate.ErrorKindOf(err)
		if kind != machineupdate.Throttled || after > maxDelay {
			return err
		}
		if u.definition.Wait(ctx, max(after, delay/2+spread(delay/2, u.request.Machine+strconv.Itoa(try)))) != nil {
			return err
		}
		delay = min(2*delay, maxDelay)
	}
}

// once makes a call when there is room for it, and counts it.
func (k *Kit[T, C]) once(ctx context.Context, function string, f func(context.Context) error) error {
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := f(ctx)
	kind, _ := machineupdate.ErrorKindOf(err)
	outcome := kind.String()
	if err == nil {
		outcome = "Succeeded"
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.calls[[2]string{function, outcome}]++
	return err
}

// spread returns a delay of at most d that depends on the text.
func spread(d time.Duration, text string) time.Duration {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(text)) // never fails
	return d * time.Duration(sum.Sum32()%1000) / 1000
}

func sleep(ctx context.Context, d time.Duration) error {
	timed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-timed.Done()
	return ctx.Err()
}
