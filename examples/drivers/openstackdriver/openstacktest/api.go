// Package openstacktest stands in for OpenStack in tests, over HTTP. It has the parts of Keystone,
// Nova and Cinder that a driver calls, with their versions, statuses and conditions.
package openstacktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The addresses of the API. The region is r.
const (
	host    = "https://openstack.test"
	AuthURL = host + "/identity/v3"
)

// API is OpenStack on a fake cloud. A volume belongs to the server whose ID it has after "root-".
// Other volumes are attached to each server, as by a CSI driver.
type API struct {
	fleet.Cloud

	Page int // the length of a page of a list; 0 is endless
	// Answers returns an answer in place of the API's answer, or nil. It may be nil.
	Answers func(r *http.Request) http.Handler

	mutex    sync.Mutex
	requests []string // without those to Keystone
	logins   int
	expired  int // tokens that are not valid any more, the first ones; all others are, as in Keystone
	made     int // servers that were created
}

// New returns an OpenStack on a cloud.
func New(cloud fleet.Cloud) *API { return &API{Cloud: cloud} }

// Requests returns the requests so far, without those to Keystone, such as "PUT volume/v3/p/…".
func (a *API) Requests() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.Clone(a.requests)
}

// Logins returns the number of issued tokens.
func (a *API) Logins() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.logins
}

// Expire makes all tokens invalid.
func (a *API) Expire() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.expired = a.logins
}

// Refusal is an answer with a status and headers.
func Refusal(status int, header http.Header) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		write(w, status, map[string]any{"error": map[string]any{"code": status, "message": http.StatusText(status)}})
	})
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.Answers != nil {
		if answer := a.Answers(r); answer != nil {
			answer.ServeHTTP(w, r)
			return
		}
	}
	if strings.HasPrefix(r.URL.Path, "/identity/") {
		a.login(w)
		return
	}
	a.mutex.Lock()
	isValid := a.isValid(r.Header.Get("X-Auth-Token"))
	if isValid {
		a.requests = append(a.requests, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/"))
	}
	a.mutex.Unlock()
	if !isValid {
		Refusal(http.StatusUnauthorized, nil).ServeHTTP(w, r)
		return
	}
	a.routes().ServeHTTP(w, r)
}

// tokenPrefix comes before the number of a token.
const tokenPrefix = "token-"

// isValid reports whether a token was issued and has not expired.
func (a *API) isValid(token string) bool {
	text, isToken := strings.CutPrefix(token, tokenPrefix)
	number, err := strconv.Atoi(text)
	if !isToken || err != nil {
		return false
	}
	return a.expired < number && number <= a.logins
}

// login answers a request for a token.
func (a *API) login(w http.ResponseWriter) {
	a.mutex.Lock()
	a.logins++
	w.Header().Set("X-Subject-Token", fmt.Sprint(tokenPrefix, a.logins))
	a.mutex.Unlock()
	service := func(kind, path string) map[string]any {
		return map[string]any{"type": kind, "name": kind, "endpoints": []any{map[string]any{
			"interface": "public", "region": "r", "region_id": "r", "url": host + path,
		}}}
	}
	write(w, http.StatusCreated, map[string]any{"token": map[string]any{
		"expires_at": "2099-01-01T00:00:00.000000Z", "methods": []string{"password"},
		"catalog": []any{service("compute", "/compute/v2.1"), service("volumev3", "/volume/v3/p")},
	}})
}

// status is an error with the status of an answer.
type status struct {
	code int
	text string
}

func (s *status) Error() string { return s.text }

func (a *API) routes() http.Handler {
	mux := http.NewServeMux()
	const (
		servers = "/compute/v2.1/servers"
		volumes = "/volume/v3/p/volumes"
	)
	for pattern, answer := range map[string]func(w http.ResponseWriter, r *http.Request) (int, any, error){
		"GET " + servers + "/detail":                    a.listServers,
		"GET " + servers + "/{id}":                      a.getServer,
		"POST " + servers:                               a.createServer,
		"DELETE " + servers + "/{id}":                   a.deleteServer,
		"POST " + servers + "/{id}/metadata":            a.setMetadata,
		"DELETE " + servers + "/{id}/metadata/{key...}": a.removeMetadata,
		"POST " + servers + "/{id}/action":              a.changeGroups,
		"GET " + volumes + "/detail":                    a.listVolumes,
		"GET " + volumes + "/{id}":                      a.getVolume,
		"GET " + volumes + "/{id}/metadata":             a.getMetadata,
		"PUT " + volumes + "/{id}/metadata":             a.putMetadata,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			code, body, err := answer(w, r)
			told := &status{code: http.StatusInternalServerError}
			switch kind, _ := machineupdate.DriverErrorOf(err); {
			case errors.As(err, &told):
			case kind == machineupdate.ErrThrottled:
				told.code = http.StatusTooManyRequests
			case err == nil:
				write(w, code, body)
				return
			}
			write(w, told.code, map[string]any{"fault": map[string]any{"code": told.code, "message": err.Error()}})
		})
	}
	return mux
}

// find returns a resource by its ID.
func (a *API) find(ctx context.Context, kind tags.Kind, id string) (*driver.Resource, error) {
	all, err := a.Resources(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Kind == kind && all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, &status{http.StatusNotFound, string(kind) + " " + id + " could not be found"}
}

// page returns a page of a list and the URL of the next page. The marker is the ID of the last item
// of the previous page.
func page[T any](r *http.Request, all []T, length int, idOf func(T) string) (items []T, links []any) {
	marker := r.URL.Query().Get("marker")
	first := slices.IndexFunc(all, func(item T) bool { return idOf(item) == marker }) + 1
	last := len(all)
	if length > 0 && first+length < last {
		last = first + length
		next := *r.URL
		query := next.Query()
		query.Set("marker", idOf(all[last-1]))
		next.RawQuery = query.Encode()
		links = []any{map[string]any{"rel": "next", "href": host + next.RequestURI()}}
	}
	return all[first:last], links
}

// isAtLeast reports whether a request asks for a version of an API, or for a newer one.
func isAtLeast(r *http.Request, header, version string) bool {
	number := func(text string) int {
		_, minor, _ := strings.Cut(text, ".")
		n, _ := strconv.Atoi(minor)
		return n
	}
	return number(r.Header.Get(header)) >= number(version)
}
