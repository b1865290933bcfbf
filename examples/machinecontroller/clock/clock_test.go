package clock_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hotupdate/providerconfig/examples/machinecontroller/clock"
)

func TestTimePassesOnlyWhenTold(t *testing.T) {
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	c := clock.New(start)
	assert.Equal(t, start, c.Now())
	c.AdvanceTo(start.Add(time.Minute))
	assert.Equal(t, start.Add(time.Minute), c.Now())
	c.AdvanceTo(start)
	assert.Equal(t, start.Add(time.Minute), c.Now(), "time never runs backwards")
}

func TestDeadlines(t *testing.T) {
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	c := clock.New(start)
	late, stopLate := c.WithTimeout(t.Context(), time.Minute)
	defer stopLate()
	early, stopEarly := c.WithTimeout(t.Context(), time.Second)
	defer stopEarly()
	done, stop := c.WithTimeout(t.Context(), time.Millisecond)
	stop()
	assert.ErrorIs(t, context.Cause(done), context.Canceled, "whoever is done waits no longer")

	c.AdvanceTo(start.Add(time.Second))
	assert.ErrorIs(t, context.Cause(early), context.DeadlineExceeded)
	assert.NoError(t, late.Err())

	assert.NoError(t, c.Wait(late, time.Second))
	assert.ErrorIs(t, c.Wait(late, time.Hour), context.DeadlineExceeded, "waiting takes time, too")
	assert.Equal(t, start.Add(time.Hour+2*time.Second), c.Now())
}
