package driver_test

import (
	"errors"
	"strings"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// modelCloud is a resource with the attributes a and b, which change together and take their time, or with a set.
// Values are two characters, that of a first, or the members of the set in their order. It is not the cloud of package
// drivertest, as it is a part of modelWorld, which is compared and hashed.
type modelCloud struct {
	modelShown
	older   modelShown    // what reads may show instead; empty if they have caught up
	late    string        // a request that is still under way; its sender got no answer
	refuses time.Duration // how long no change is accepted yet
}

// modelShown is what a read shows.
type modelShown struct {
	value  string
	target string // of the change under way
	failed bool   // the last change failed
}

// modelDefaults are the cloud's, and ownValue is what people have set by hand.
var modelDefaults = map[string]string{"a": "9", "b": "9"}

const (
	defaultValue = "99"
	ownValue     = "77"
	refusal      = 6 * time.Hour
)

var (
	errLost    = errors.New("no answer")
	errBusy    = errors.New("a change is under way")
	errRefused = errors.New("the last change was not long ago")
)

// accept takes a request, or refuses it.
func (c *modelCloud) accept(value string) error {
	switch {
	case c.target != "":
		return errBusy
	case c.refuses > 0:
		return &machineupdate.RetryError{After: c.refuses, Err: errRefused}
	}
	c.changes(modelShown{value: c.value, target: value})
	return nil
}

// ends ends the change under way.
func (c *modelCloud) ends(well bool) {
	if well {
		c.changes(modelShown{value: c.target})
		c.refuses = refusal
	} else {
		c.changes(modelShown{value: c.value, failed: true})
	}
}

func (c *modelCloud) changes(to modelShown) {
	c.older = c.modelShown
	c.modelShown = to
}

// of returns the part of an attribute.
func of(value string, name string) string {
	if value == "" {
		return ""
	}
	at := strings.Index("ab", name)
	return value[at : at+1]
}

// read is what the driver of the model makes of what it is shown.
func (s modelShown) read() driver.Reading {
	switch {
	case s.target != "":
		return driver.Modifying(s.value, s.target)
	case s.failed:
		return driver.ModifyFailed(s.value)
	}
	return driver.Settled(s.value)
}

// split is what is shown of one attribute.
func (s modelShown) split(name string) modelShown {
	return modelShown{of(s.value, name), of(s.target, name), s.failed}
}
