package drivertest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/driver/answer"
	"github.com/hotupdate/providerconfig/hotupdate/driver/drivertest"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// overHTTP is a cloud over HTTP: GET shows the resources, and POST sets or removes tags of one.
type overHTTP struct {
	*drivertest.FakeCloud

	looks   chan struct{} // a look has reached the cloud
	written chan struct{} // a write has come to its end
}

// look is the path of a read that the cloud answers after the write that is sent meanwhile.
const look = "/look"

type change struct {
	ID          string
	Set, Remove []tags.Tag
}

func (o overHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if r.URL.Path == look {
		o.looks <- struct{}{}
		select {
		case <-o.written:
		case <-time.After(50 * time.Millisecond): // the write waits for this read
		}
	}
	if r.Method == http.MethodGet {
		var all []driver.Resource
		all, err = o.Resources(r.Context())
		body, _ = json.Marshal(all)
	} else {
		var c change
		_ = json.NewDecoder(r.Body).Decode(&c)
		err = o.Change(r.Context(), []string{c.ID}, c.Set, c.Remove)
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// sender is a client with a fault.
type sender struct {
	http.RoundTripper

	cloud  overHTTP
	broken string
}

type refusedError struct{ response *http.Response }

func (e *refusedError) Error() string { return fmt.Sprint("status ", e.response.StatusCode) }

// change sends a write and, if told, looks at the resources at the same time.
func (s *sender) change(ctx context.Context, c change) error {
	if !strings.HasPrefix(s.broken, "looks while it writes") {
		return s.send(ctx, http.MethodPost, "/", c, nil)
	}
	looked := make(chan error, 1)
	go func() { looked <- s.send(ctx, http.MethodGet, look, nil, &[]driver.Resource{}) }()
	select {
	case <-s.cloud.looks:
	case err := <-looked: // it did not reach the cloud
		looked <- err
	}
	err := s.send(ctx, http.MethodPost, "/", c, nil)
	select {
	case s.cloud.written <- struct{}{}:
	case <-time.After(100 * time.Millisecond): // nothing looks any more
	}
	return errors.Join(err, <-looked)
}

func (s *sender) send(ctx context.Context, method, path string, c any, into any) error {
	text, _ := json.Marshal(c)
	if s.broken == "ignores its context" {
		ctx = context.WithoutCancel(ctx)
	}
	r, err := http.NewRequestWithContext(ctx, method, "https://cloud.test"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := s.RoundTrip(r) //nolint:bodyclose // has nothing to close
	if err != nil && s.broken == "hides the error of a connection" {
		return errors.New("failed")
	}
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusNotFound && s.broken == "takes the 404 of a proxy for no VM" {
		return nil
	}
	if response.StatusCode != http.StatusOK {
		return &refusedError{response}
	}
	if into == nil {
		_, err = io.ReadAll(response.Body)
	} else {
		err = json.NewDecoder(response.Body).Decode(into)
	}
	if err != nil && s.broken == "takes any success for a list" && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	isRead := method == http.MethodGet
	takes := s.broken == "takes half of an answer for final" && isRead
	takes = takes || s.broken == "takes half of an answer to a write for final" && !isRead
	takes = takes || s.broken == "looks while it writes, and takes half of that answer for final" && path == look
	if err != nil && takes {
		return errors.New("failed")
	}
	return err
}

func (s *sender) translated(_ *sender, err error) error {
	refused, ok := errors.AsType[*refusedError](err)
	switch {
	case !ok:
		return answer.Response(err, nil)
	case s.broken == "finds no delay":
		return answer.Status(err, refused.response.StatusCode, nil)
	case s.broken == "takes 500 for final" && refused.response.StatusCode == http.StatusInternalServerError:
		return err
	}
	return answer.Response(err, refused.response)
}

// TestCheckRequests: a driver that keeps the promises passes, and each that breaks one does not.
func TestCheckRequests(t *testing.T) {
	t.Parallel()
	type plain struct {
		Tags map[string]string `json:"tags,omitempty" hotupdatable:"true"`
	}
	of := func(t *testing.T, broken string) (failures []string) {
		t.Helper()
		rules, err := tags.AWS.Rules(tags.VM)
		require.NoError(t, err)
		state := func(owner string) drivertest.State {
			own := map[string]string{"kubernetes.io/cluster/c": "1", "kubernetes.io/role/node": "1", "owner": owner}
			text, err := json.Marshal(plain{own})
			require.NoError(t, err)
			return drivertest.State{Spec: string(text), Resources: []driver.Resource{{Kind: tags.VM, ID: "i-1", Tags: own}}}
		}
		r := &recorder{TB: t}
		setup := drivertest.Setup{
			Rules: tags.AWS.Rules, Request: machineupdate.UpdateMachineRequest{Machine: "m", ProviderID: "test:///i-1"},
		}
		drivertest.CheckRequests(r, setup, func(
			cloud *drivertest.FakeCloud, faulty func(http.RoundTripper) http.RoundTripper,
		) (*driver.Kit[plain, *sender], error) {
			api := overHTTP{cloud, make(chan struct{}, 1), make(chan struct{})}
			s := &sender{api, api, broken}
			if broken != "sends nothing through it" {
				s.RoundTripper = faulty(s.RoundTripper)
			}
			change := func(ctx context.Context, s *sender, ids []string, set, remove []tags.Tag) error {
				return s.change(ctx, change{ids[0], set, remove})
			}
			tagging := driver.FlatTagging[plain, *sender](rules, []tags.Kind{tags.VM},
				func(spec *plain) (map[string]string, *tags.Tags) { return spec.Tags, nil })
			tagging.Set = func(ctx context.Context, s *sender, ids []string, set []tags.Tag) error {
				return change(ctx, s, ids, set, nil)
			}
			tagging.Remove = func(ctx context.Context, s *sender, ids []string, remove []tags.Tag) error {
				return change(ctx, s, ids, nil, remove)
			}
			return driver.New(driver.Definition[plain, *sender]{
				Connect: func(context.Context, *machineupdate.UpdateMachineRequest, *plain) (*sender, error) { return s, nil },
				Resources: func(ctx context.Context, s *sender) (resources []driver.Resource, err error) {
					return resources, s.send(ctx, http.MethodGet, "/", nil, &resources)
				},
				Tags: []driver.Tagging[plain, *sender]{tagging}, Translate: s.translated, Wait: cloud.Wait,
			})
		}, state("alice"), state("bob"))
		return r.failures
	}
	check := func(t *testing.T, broken string) (told string) {
		t.Helper()
		if strings.HasPrefix(broken, "looks while it writes") { // one of its requests waits for a mutex
			return strings.Join(of(t, broken), "\n")
		}
		synctest.Test(t, func(t *testing.T) { told = strings.Join(of(t, broken), "\n") }) // some requests get no answer
		return told
	}
	for broken, want := range map[string]string{
		"":                                  "",
		"looks while it writes":             "",
		"sends nothing through it":          "sends nothing",
		"hides the error of a connection":   "requests a reset connection: the update fails",
		"takes half of an answer for final": "requests an answer that ends early: the update fails",
		"takes half of an answer to a write for final": "requests an answer that ends early: the update fails",
		// no write excuses a read that fails while it is under way
		"looks while it writes, and takes half of that answer for final": "requests an answer that ends early: the update fails",
		"takes the 404 of a proxy for no VM":                             "requests status 404 of a proxy: the update says that there is no VM",
		"takes any success for a list":                                   "requests an empty success: the update says that there is no VM",
		"takes 500 for final":                                            "requests status 500: the update fails",
		"finds no delay":                                                 "requests status 429 with a delay: is sent again after",
		"ignores its context":                                            "requests no answer: the request has no deadline",
	} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			told := check(t, broken)
			assert.Contains(t, told, want)
			assert.Equal(t, want == "", told == "", told)
		})
	}
}
