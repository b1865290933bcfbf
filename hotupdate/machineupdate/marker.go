package machineupdate

import (
	"context"
	"errors"
	"sync"
)

// marker writes the marker of a pass once, when it is needed, from whichever goroutine of the driver.
type marker struct {
	write func(ctx context.Context) error

	mutex  sync.Mutex
	asked  bool
	closed bool
	err    error
}

// errLate is returned to a driver that asks after it has returned.
var errLate = errors.New("the call is over: nothing may be sent any more")

// once writes the marker if nobody has yet.
func (m *marker) once(ctx context.Context) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case m.closed:
		return errLate
	case !m.asked:
		m.asked, m.err = true, m.write(ctx)
	}
	return m.err
}

// close ends the call: from now on nothing is written. It returns what kept the marker from being written, if it was asked for.
func (m *marker) close() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.closed = true
	return m.err
}
