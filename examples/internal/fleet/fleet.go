// Package fleet has a cloud in memory with any number of machines, for the fake APIs of the
// drivers' tests. A fake API works on the interface [Cloud], which the cloud of package drivertest
// also has.
package fleet

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/internal/fakecloud"
	"github.com/hotupdate/providerconfig/tags"
)

// Cloud holds resources and changes them. A fake API translates requests into its calls.
type Cloud interface {
	Resources(ctx context.Context) ([]driver.Resource, error)
	Change(ctx context.Context, ids []string, set, remove []tags.Tag) error
	Replace(ctx context.Context, kind tags.Kind, id, version string, all map[string]string) error
	Modify(ctx context.Context, kind tags.Kind, id string, values map[string]string, takes time.Duration) error
	// AddMember and RemoveMember return the errors of package drivertest if there is nothing to change.
	AddMember(ctx context.Context, kind tags.Kind, id, set, member string) error
	RemoveMember(ctx context.Context, kind tags.Kind, id, set, member string) error
}

var (
	_ Cloud = (*drivertest.FakeCloud)(nil)
	_ Cloud = (*Fleet)(nil)
)

// Fleet is a cloud with any number of machines. It is safe for concurrent use.
type Fleet struct {
	rules func(kind tags.Kind) (tags.Rules, error)

	mutex     sync.Mutex
	resources []*resource
}

type resource struct {
	fakecloud.Resource

	name       string
	attributes map[string]string
	sets       map[string][]string
}

// New returns a cloud with these rules.
func New(rules func(kind tags.Kind) (tags.Rules, error)) *Fleet { return &Fleet{rules: rules} }

// Add adds resources, with the infrastructure tags, attributes and sets that they have.
func (f *Fleet) Add(all ...driver.Resource) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, r := range all {
		rules, _ := f.rules(r.Kind) // a kind without rules carries no infrastructure tags
		added := &resource{
			Resource: fakecloud.Resource{Kind: r.Kind, ID: r.ID, Rules: rules, Tags: maps.Clone(r.Tags)},
			name:     r.Name, attributes: map[string]string{}, sets: cloneSets(r.Sets),
		}
		for name, reading := range r.Attributes {
			added.attributes[name] = reading.Value()
		}
		f.resources = append(f.resources, added)
	}
}

// Delete removes a resource.
func (f *Fleet) Delete(kind tags.Kind, id string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.resources = slices.DeleteFunc(f.resources, func(r *resource) bool { return r.Kind == kind && r.ID == id })
}

// Resources returns all resources.
func (f *Fleet) Resources(ctx context.Context) ([]driver.Resource, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := make([]driver.Resource, len(f.resources))
	for i, r := range f.resources {
		all[i] = driver.Resource{
			Kind: r.Kind, ID: r.ID, Name: r.name, Tags: maps.Clone(r.Tags), Version: strconv.Itoa(r.Version),
			Attributes: map[string]driver.Reading{}, Sets: cloneSets(r.sets),
		}
		for name, value := range r.attributes {
			all[i].Attributes[name] = driver.Settled(value)
		}
	}
	return all, nil
}

// Change sets or removes infrastructure tags. A tag to remove with an empty value is removed
// whatever its live value is.
func (f *Fleet) Change(ctx context.Context, ids []string, set, remove []tags.Tag) error {
	call := fakecloud.Call{Set: set}
	for _, tag := range remove {
		if tag.Value == "" {
			call.Keys = append(call.Keys, tag.Key)
		} else {
			call.Remove = append(call.Remove, tag)
		}
	}
	return f.write(ctx, tags.Kinds(), ids, func(of []*resource) error {
		named := make([]*fakecloud.Resource, len(of))
		for i, r := range of {
			named[i] = &r.Resource
		}
		return fakecloud.Change(call, named...)
	})
}

// Replace writes all infrastructure tags of a resource.
func (f *Fleet) Replace(ctx context.Context, kind tags.Kind, id, version string, all map[string]string) error {
	return f.write(ctx, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		read, err := strconv.Atoi(version)
		if err != nil {
			return err
		}
		return of[0].Replace(read, all)
	})
}

// Modify changes attributes. The change takes no time.
func (f *Fleet) Modify(
	ctx context.Context, kind tags.Kind, id string, values map[string]string, _ time.Duration,
) error {
	return f.write(ctx, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		maps.Copy(of[0].attributes, values)
		return nil
	})
}

// AddMember adds a member to a set.
func (f *Fleet) AddMember(ctx context.Context, kind tags.Kind, id, set, member string) error {
	return f.write(ctx, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		if slices.Contains(of[0].sets[set], member) {
			return drivertest.ErrMemberExists
		}
		of[0].sets[set] = append(of[0].sets[set], member)
		return nil
	})
}

// RemoveMember removes a member from a set.
func (f *Fleet) RemoveMember(ctx context.Context, kind tags.Kind, id, set, member string) error {
	return f.write(ctx, []tags.Kind{kind}, []string{id}, func(of []*resource) error {
		at := slices.Index(of[0].sets[set], member)
		if at < 0 {
			return drivertest.ErrNoMember
		}
		of[0].sets[set] = slices.Delete(of[0].sets[set], at, at+1)
		return nil
	})
}

func cloneSets(sets map[string][]string) map[string][]string {
	cloned := map[string][]string{}
	for name, members := range sets {
		cloned[name] = slices.Clone(members)
	}
	return cloned
}

func (f *Fleet) write(ctx context.Context, kinds []tags.Kind, ids []string, change func(of []*resource) error) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	var named []*resource
	for _, r := range f.resources {
		if slices.Contains(kinds, r.Kind) && slices.Contains(ids, r.ID) {
			named = append(named, r)
		}
	}
	if len(named) != len(ids) {
		return errors.New("the cloud has no such resource")
	}
	return change(named)
}

// Transport sends requests to a handler without a network.
type Transport struct{ http.Handler }

// RoundTrip answers a request.
func (t Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	t.ServeHTTP(answer, request)
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	response := answer.Result()
	response.Request = request
	return response, nil
}
