package driver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// setModel is a model of a set with the members x, y and z. People have added y, which classes may want, and z, which none wants.
func setModel() modelKind {
	return modelKind{
		definition: driver.Definition[modelSpec, *modelRun]{
			Sets: []driver.Set[modelSpec, *modelRun]{{
				Kind: tags.VM, Name: "m",
				Members: func(spec *modelSpec, _ *driver.Resource) []string { return spec.M },
				AddMember: func(_ context.Context, run *modelRun, _ *driver.Resource, member string) error {
					return run.changeMember("+" + member)
				},
				RemoveMember: func(_ context.Context, run *modelRun, _ *driver.Resource, member string) error {
					return run.changeMember("-" + member)
				},
			}},
		},
		specs: []string{`{"m":[]}`, `{"m":["x"]}`, `{"m":["y"]}`, `{"m":["x","y"]}`}, base: "yz",
		resource: func(shown modelShown) driver.Resource {
			return driver.Resource{Kind: tags.VM, ID: "i-1", Sets: map[string][]string{"m": strings.Split(shown.value, "")}}
		},
		lands:  (*modelCloud).change,
		marked: func(w *modelWorld, record string) { w.ours = union(w.ours, recordedMembers(record)) },
		wrong:  wrongSet,
		settled: func(w *modelWorld) {
			w.ours = recordedMembers(w.record)
			isOurs := func(member string) bool { return strings.Contains(w.ours, member) }
			w.base = strings.Join(slices.DeleteFunc(strings.Split(w.cloud.value, ""), isOurs), "")
		},
	}
}

// recordedMembers returns the members that a record has as applied or attempted: in its first part, which is that of VMs, or of all kinds.
func recordedMembers(record string) string {
	var content struct {
		Parts []struct {
			Applied   modelSpec
			Attempted []modelSpec
		}
	}
	_ = json.Unmarshal([]byte(record), &content) // the flow has written it
	all := strings.Join(content.Parts[0].Applied.M, "")
	for _, attempted := range content.Parts[0].Attempted {
		all = union(all, strings.Join(attempted.M, ""))
	}
	return all
}

func union(a, b string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(strings.Split(a+b, "")))), "")
}

// wrongSet says what is wrong with the set of a machine at rest: a member is there if the class wants it, or if it is
// not ours and people have added it.
func wrongSet(w *modelWorld, m *model) string {
	for _, member := range []string{"x", "y", "z"} {
		isTheirs := strings.Contains(w.base, member) && !strings.Contains(w.ours, member)
		if want := m.wants(w.class, member) || isTheirs; want != strings.Contains(w.cloud.value, member) {
			return fmt.Sprintf(
				"settled with %s, where the class wants %s, people %q, and ours are %q", w.cloud.value, m.specs[w.class], w.base, w.ours,
			)
		}
	}
	return ""
}

func (m *model) wants(class int, member string) bool {
	return strings.Contains(m.specs[class], `"`+member+`"`)
}

// changeMember is a call of the cloud, such as +x or -x.
func (r *modelRun) changeMember(call string) error {
	member := call[1:]
	isWanted := r.m.wants(r.start.class, member)
	isRight := isWanted
	if call[0] == '-' {
		isRight = !isWanted && strings.Contains(r.now.ours, member)
	}
	return r.send(call, call, isRight, func() error {
		r.now.cloud.change(call)
		return nil
	})
}

// change adds a member to the set, or removes it. It changes nothing if that has been done.
func (c *modelCloud) change(call string) {
	member := call[1:]
	isMember := strings.Contains(c.value, member)
	switch {
	case call[0] == '+' && !isMember:
		c.changes(modelShown{value: union(c.value, member)})
	case call[0] == '-' && isMember:
		c.changes(modelShown{value: strings.ReplaceAll(c.value, member, "")})
	}
}
