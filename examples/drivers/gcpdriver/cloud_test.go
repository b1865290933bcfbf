package gcpdriver_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/compute/v1"

	"github.com/hotupdate/providerconfig/examples/drivers/gcpdriver"
	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/examples/internal/fleet"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/tags"
)

// The addresses of the fake API.
const (
	host     = "https://compute.test"
	endpoint = host + "/compute/v1/"
)

// api is the Compute Engine API on a fake cloud, and the server that issues tokens. A disk belongs
// to the VM whose name it has, alone or before a hyphen. Other disks are attached to each VM.
type api struct {
	fleet.Cloud

	mutex    sync.Mutex
	requests []string       // without the requests for tokens
	logins   int            // requests for tokens
	fails    []http.Handler // the next requests get these answers
	always   http.Handler   // all requests get this answer, unless it is nil
	status   string         // of VMs, unless it is empty
	opFails  string         // the code of operations that fail
	page     int            // the length of a page; 0 is Google's default
	expires  int            // seconds until a token expires; 0 is an hour
	revoked  int            // the number of the last token that was revoked
}

// refusal is an answer with an error in Google's form.
func refusal(code int, reason, message string, header http.Header) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		problem := map[string]any{"message": message, "domain": "usageLimits", "reason": reason}
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
			"code": code, "message": message, "errors": []any{problem},
		}})
	})
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/token" {
		a.mutex.Lock()
		a.logins++
		number := a.logins
		a.mutex.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"token%d","token_type":"Bearer","expires_in":%d}`, number, cmp.Or(a.expires, 3600))
		return
	}
	text, isToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer token")
	number, _ := strconv.Atoi(text)
	if isWithdrawn := number > 0 && number <= a.revoked; !isToken || isWithdrawn {
		refusal(http.StatusUnauthorized, "authError", "no token", nil).ServeHTTP(w, r)
		return
	}
	a.mutex.Lock()
	a.requests = append(a.requests, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/compute/v1/projects/p/zones/"))
	fails := a.always
	if len(a.fails) > 0 {
		fails = a.fails[0]
		a.fails = a.fails[1:]
	}
	a.mutex.Unlock()
	if fails != nil {
		fails.ServeHTTP(w, r)
		return
	}
	a.routes().ServeHTTP(w, r)
}

func (a *api) routes() http.Handler {
	mux := http.NewServeMux()
	const zone = "/compute/v1/projects/p/zones/{zone}/"
	for pattern, answer := range map[string]func(r *http.Request) (any, error){
		"GET " + zone + "instances":                           a.listInstances,
		"GET " + zone + "disks":                               a.listDisks,
		"GET " + zone + "instances/{name}":                    a.instance,
		"GET " + zone + "disks/{name}":                        a.disk,
		"POST " + zone + "instances/{name}/setLabels":         a.setLabels(tags.VM),
		"POST " + zone + "disks/{name}/setLabels":             a.setLabels(tags.Disk),
		"POST " + zone + "instances/{name}/setTags":           a.setTags,
		"POST " + zone + "instances/{name}/setServiceAccount": a.setServiceAccount,
		"POST " + zone + "instances/{name}/stop":              a.power("RUNNING", "TERMINATED"),
		"POST " + zone + "instances/{name}/start":             a.power("TERMINATED", "RUNNING"),
		"POST " + zone + "operations/{name}/wait":             a.wait,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			answer, err := answer(r)
			kind, after := machineupdate.DriverErrorOf(err)
			switch {
			case after > 0: // drivertest refuses a second change for a time; Compute Engine does not
				header := http.Header{"Retry-After": {strconv.Itoa(int(after.Seconds()) + 1)}}
				refusal(http.StatusTooManyRequests, "", err.Error(), header).ServeHTTP(w, r)
			case kind == machineupdate.ErrThrottled:
				refusal(http.StatusForbidden, "rateLimitExceeded", err.Error(), nil).ServeHTTP(w, r)
			case errors.Is(err, errAbsent):
				refusal(http.StatusNotFound, "notFound", err.Error(), nil).ServeHTTP(w, r)
			case errors.Is(err, errChanged):
				refusal(http.StatusPreconditionFailed, "conditionNotMet", err.Error(), nil).ServeHTTP(w, r)
			case err != nil:
				refusal(http.StatusInternalServerError, "backendError", err.Error(), nil).ServeHTTP(w, r)
			default:
				_ = json.NewEncoder(w).Encode(answer)
			}
		})
	}
	return mux
}

var (
	errAbsent  = errors.New("was not found")
	errChanged = errors.New("the labels fingerprint is invalid, or the labels have changed")
)

// started returns an operation that has not ended yet, if the write was accepted.
func started(err error) (any, error) {
	return &compute.Operation{Name: "operation-1", Status: "RUNNING"}, err
}

// wait answers at once. An operation is done unless a VM changes its state.
func (a *api) wait(r *http.Request) (any, error) {
	operation := &compute.Operation{Name: r.PathValue("name"), Status: "DONE"}
	code := a.opFails
	vms, err := a.of(r.Context(), tags.VM)
	for _, vm := range vms {
		value := vm.Attributes["status"].Value()
		target := vm.Attributes["status"].Target()
		isFailed := vm.Attributes["status"].IsFailed()
		if value != target {
			operation.Status = "RUNNING"
		}
		if isFailed {
			code = "INTERNAL_ERROR"
		}
	}
	if code != "" {
		operation.Error = &compute.OperationError{Errors: []*compute.OperationErrorErrors{{Code: code, Message: "no"}}}
	}
	return operation, err
}

func (a *api) of(ctx context.Context, kind tags.Kind) (found []driver.Resource, err error) {
	all, err := a.Resources(ctx)
	return slices.DeleteFunc(all, func(r driver.Resource) bool { return r.Kind != kind }), err
}

// one returns the resource with a name.
func one[T any](name string, all []T, nameOf func(T) string, err error) (T, error) {
	at := slices.IndexFunc(all, func(t T) bool { return nameOf(t) == name })
	var none T
	switch {
	case err != nil:
		return none, err
	case at < 0:
		return none, fmt.Errorf("%s %w", name, errAbsent)
	}
	return all[at], nil
}

func (a *api) instance(r *http.Request) (any, error) {
	all, err := a.instances(r)
	return one(r.PathValue("name"), all, func(vm *compute.Instance) string { return vm.Name }, err)
}

func (a *api) disk(r *http.Request) (any, error) {
	all, err := a.disks(r)
	return one(r.PathValue("name"), all, func(d *compute.Disk) string { return d.Name }, err)
}

func (a *api) listInstances(r *http.Request) (any, error) {
	all, err := a.instances(r)
	page, next := pageOf(all, a.page, r)
	return &compute.InstanceList{Items: page, NextPageToken: next}, err
}

func (a *api) listDisks(r *http.Request) (any, error) {
	all, err := a.disks(r)
	page, next := pageOf(all, a.page, r)
	return &compute.DiskList{Items: page, NextPageToken: next}, err
}

func pageOf[T any](all []T, length int, r *http.Request) (page []T, next string) {
	first := len(r.URL.Query().Get("pageToken"))
	last := min(first+cmp.Or(length, 500), len(all))
	if last < len(all) {
		next = strings.Repeat("x", last)
	}
	return all[first:last], next
}

func (a *api) instances(r *http.Request) ([]*compute.Instance, error) {
	all, err := a.Resources(r.Context())
	if err != nil {
		return nil, err
	}
	var vms []*compute.Instance
	for _, vm := range all {
		if vm.Kind != tags.VM {
			continue
		}
		instance := &compute.Instance{
			Name: vm.ID, Labels: vm.Tags, LabelFingerprint: vm.Version, Status: "RUNNING", Tags: &compute.Tags{},
		}
		if own := vm.Attributes["serviceAccount"].Value(); own != "" {
			_ = json.Unmarshal([]byte(own), &instance.ServiceAccounts)
		}
		value := vm.Attributes["status"].Value()
		target := vm.Attributes["status"].Target()
		switch {
		case a.status != "":
			instance.Status = a.status
		case value != target && target == "TERMINATED":
			instance.Status = "STOPPING"
		case value != target:
			instance.Status = "STAGING"
		case value != "":
			instance.Status = value
		}
		var others []*compute.AttachedDisk
		for _, other := range all {
			isOwn := other.ID == vm.ID || strings.HasPrefix(other.ID, vm.ID+"-")
			attached := &compute.AttachedDisk{Source: "https://compute.test/projects/p/zones/z/disks/" + other.ID}
			switch {
			case other.Kind == tags.Network && other.ID == vm.ID:
				for key := range other.Tags {
					instance.Tags.Items = append(instance.Tags.Items, key)
				}
				instance.Tags.Fingerprint = other.Version
			case other.Kind == tags.Disk && isOwn:
				instance.Disks = append(instance.Disks, attached)
			case other.Kind == tags.Disk:
				others = append(others, attached)
			}
		}
		instance.Disks = append(instance.Disks, others...)
		for i := range instance.Disks {
			instance.Disks[i].Index = int64(i)
		}
		vms = append(vms, instance)
	}
	return vms, nil
}

func (a *api) disks(r *http.Request) (disks []*compute.Disk, err error) {
	all, err := a.of(r.Context(), tags.Disk)
	for _, disk := range all {
		disks = append(disks, &compute.Disk{Name: disk.ID, Labels: disk.Tags, LabelFingerprint: disk.Version})
	}
	return disks, err
}

func read[T any](r *http.Request) (body T, err error) {
	return body, json.NewDecoder(r.Body).Decode(&body)
}

func (a *api) setLabels(kind tags.Kind) func(r *http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		body, err := read[compute.InstancesSetLabelsRequest](r)
		if err != nil {
			return nil, err
		}
		if body.Labels == nil {
			return nil, errors.New("no labels")
		}
		return a.replace(r, kind, body.LabelFingerprint, body.Labels)
	}
}

func (a *api) setTags(r *http.Request) (any, error) {
	body, err := read[compute.Tags](r)
	if err != nil {
		return nil, err
	}
	if body.Items == nil {
		return nil, errors.New("no tags")
	}
	all := map[string]string{}
	for _, key := range body.Items {
		all[key] = ""
	}
	return a.replace(r, tags.Network, body.Fingerprint, all)
}

// replace writes all labels or network tags, on condition of the fingerprint.
func (a *api) replace(r *http.Request, kind tags.Kind, fingerprint string, all map[string]string) (any, error) {
	found, err := a.of(r.Context(), kind)
	live, err := one(r.PathValue("name"), found, func(r driver.Resource) string { return r.ID }, err)
	if err != nil {
		return nil, err
	}
	if live.Version != fingerprint {
		return nil, errChanged
	}
	return started(a.Replace(r.Context(), kind, live.ID, fingerprint, all))
}

// setServiceAccount needs a stopped VM.
func (a *api) setServiceAccount(r *http.Request) (any, error) {
	body, err := read[compute.InstancesSetServiceAccountRequest](r)
	if err != nil {
		return nil, err
	}
	if err := a.require(r, "TERMINATED"); err != nil {
		return nil, err
	}
	accounts := []gcp.ServiceAccount{}
	if body.Email != "" {
		accounts = append(accounts, gcp.ServiceAccount{Email: body.Email, Scopes: body.Scopes})
	}
	text, err := json.Marshal(accounts)
	if err != nil {
		return nil, err
	}
	return started(a.Modify(r.Context(), tags.VM, r.PathValue("name"), map[string]string{"serviceAccount": string(text)}, 0))
}

func (a *api) power(from, to string) func(r *http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		if err := a.require(r, from); err != nil {
			return nil, err
		}
		return started(a.Modify(r.Context(), tags.VM, r.PathValue("name"), map[string]string{"status": to}, 90*time.Second))
	}
}

// require refuses a call if the VM is in another state.
func (a *api) require(r *http.Request, want string) error {
	all, err := a.of(r.Context(), tags.VM)
	if err != nil {
		return err
	}
	for _, vm := range all {
		if is := vm.Attributes["status"].Value(); vm.ID == path.Base(r.PathValue("name")) && is != want {
			return fmt.Errorf("the VM is %s, not %s", is, want)
		}
	}
	return nil
}

// secret holds a service account whose tokens the fake API issues.
var secret = sync.OnceValue(func() map[string][]byte {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	account, _ := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "p", "private_key": string(text), "private_key_id": "1",
		"client_email": "mcm@p.test", "token_uri": host + "/token",
	})
	return map[string][]byte{gcpdriver.ServiceAccountJSON: account}
})

func (a *api) config() gcpdriver.Config {
	return gcpdriver.Config{Endpoint: endpoint, HTTP: fleet.Transport{Handler: a}}
}
