package driver_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// groupModel is a model of a group of two attributes.
func groupModel() modelKind {
	return modelKind{
		definition: driver.Definition[modelSpec, *modelRun]{
			Groups: []driver.AttributeGroup[modelSpec, *modelRun]{{
				Attributes: driver.Attributes{Defaults: modelDefaults}, Kind: tags.Disk, Asynchronous: true,
				Project: func(spec *modelSpec, _ *driver.Resource) map[string]string {
					if spec.A == 0 {
						return map[string]string{}
					}
					return map[string]string{"a": strconv.Itoa(spec.A)}
				},
				Modify: func(_ context.Context, run *modelRun, _ *driver.Resource, values map[string]string) error {
					return run.modify(values["a"] + values["b"])
				},
			}},
		},
		specs: []string{`{"a":0}`, `{"a":1}`, `{"a":2}`}, base: ownValue,
		resource: func(shown modelShown) driver.Resource {
			live := map[string]driver.Reading{"a": shown.split("a").read(), "b": shown.split("b").read()}
			return driver.Resource{Kind: tags.Disk, ID: "vol-1", Attributes: live}
		},
		lands:  func(c *modelCloud, late string) { _ = c.accept(late) },
		marked: func(w *modelWorld, record string) { w.isOurs = w.isOurs || strings.Contains(record, `"a":`) },
		wrong:  wrongGroup,
		settled: func(w *modelWorld) {
			if w.class == 0 {
				w.base = w.cloud.value
				w.isOurs = false
				w.isSent = false
			}
		},
	}
}

// wrongGroup says what is wrong with the attributes of a machine at rest.
func wrongGroup(w *modelWorld, _ *model) string {
	allowed := []string{strconv.Itoa(w.class) + "9"}
	switch {
	case w.class == 0 && !w.isOurs:
		allowed = []string{w.base}
	case w.class == 0 && !w.isSent:
		allowed = []string{w.base, defaultValue} // a marker owns, whether it was followed by a request or not
	case w.class == 0:
		allowed = []string{defaultValue}
	}
	if slices.Contains(allowed, w.cloud.value) {
		return ""
	}
	return fmt.Sprintf("settled with %s, where the class wants %d", w.cloud.value, w.class)
}

// modify is the call of the cloud that changes both attributes.
func (r *modelRun) modify(value string) error {
	isWanted := r.start.class != 0 && value == strconv.Itoa(r.start.class)+"9"
	isRestored := r.start.class == 0 && r.now.isOurs && value == defaultValue
	r.now.isSent = true
	return r.send("modify to "+value, value, isWanted || isRestored, func() error { return r.now.cloud.accept(value) })
}
