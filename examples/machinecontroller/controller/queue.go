package controller

import (
	"time"
)

// queue holds machines and when each is due. A machine stands in it once, at the earliest of the times for which it was added.
type queue struct {
	due map[string]time.Time
}

func (q *queue) add(machine string, at time.Time) {
	if q.due == nil {
		q.due = map[string]time.Time{}
	}
	if present, ok := q.due[machine]; !ok || at.Before(present) {
		q.due[machine] = at
	}
}

// first returns the machine that is due first, the smaller name of two that are due together.
func (q *queue) first() (machine string, at time.Time, ok bool) {
	for name, due := range q.due {
		if !ok || due.Before(at) || due.Equal(at) && name < machine {
			machine, at, ok = name, due, true
		}
	}
	return machine, at, ok
}

func (q *queue) remove(machine string) { delete(q.due, machine) }
