package updater

import (
	"context"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// overdueAfter is how long after the end of its context a call of the driver is logged.
const overdueAfter = 30 * time.Second

// calls are the calls of the driver that are under way.
type calls struct {
	mutex    sync.Mutex
	underWay map[*machineupdate.UpdateMachineRequest]context.Context
}

// begin notes a call until end is called.
func (c *calls) begin(ctx context.Context, request *machineupdate.UpdateMachineRequest) (end func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.underWay == nil {
		c.underWay = map[*machineupdate.UpdateMachineRequest]context.Context{}
	}
	c.underWay[request] = ctx
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(overdueAfter, func() { c.tellOverdue(request) })
	})
	return func() {
		stop()
		c.mutex.Lock()
		defer c.mutex.Unlock()
		delete(c.underWay, request)
	}
}

// tellOverdue logs a call that has not returned.
func (c *calls) tellOverdue(request *machineupdate.UpdateMachineRequest) {
	c.mutex.Lock()
	ctx, isUnderWay := c.underWay[request]
	c.mutex.Unlock()
	if isUnderWay {
		klog.FromContext(ctx).Error(ctx.Err(), "a call of the driver goes on after its context has ended",
			"machine", request.Machine)
	}
}

// overdue returns the number of calls whose context has ended.
func (c *calls) overdue() (n int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, ctx := range c.underWay {
		if ctx.Err() != nil {
			n++
		}
	}
	return n
}
