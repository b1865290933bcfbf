package share_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver/internal/share"
)

// TestDeadlineByWallClock: a member whose deadline passes by the wall clock ends, although its context is not done. Its
// error is the error of its last call, if it was in one.
func TestDeadlineByWallClock(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	errThrottled := errors.New("throttled")
	for _, test := range []struct {
		name   string
		others int // that were sent before it
		want   error
	}{
		{"it was in no call", 1, context.DeadlineExceeded},
		{"its call was throttled", 0, errThrottled},
	} {
		t.Run(test.name, func(t *testing.T) {
			shell := share.Shell[int]{Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
			for range test.others {
				_, err := shell.Do(ctx, &share.Member[int]{Action: oneInTwoDays}, func(context.Context, []int) (share.Answer, error) {
					return share.Answer{}, nil
				})
				require.NoError(t, err)
			}
			_, err := shell.Do(ctx, &share.Member[int]{Action: oneInTwoDays}, func(context.Context, []int) (share.Answer, error) {
				return share.Answer{Outcome: share.Throttled, After: 2 * time.Hour}, errThrottled
			})
			require.ErrorIs(t, err, test.want)
			require.NoError(t, ctx.Err())
		})
	}
}

// oneInTwoDays is an action whose bucket admits one call, and the next one after two days.
var oneInTwoDays = share.Action{
	Name: "Set", Draws: []share.Draw{{Bucket: "writes", Limit: share.Limit{Burst: 1, Refill: 1. / 86400}, Requests: 1}},
}
