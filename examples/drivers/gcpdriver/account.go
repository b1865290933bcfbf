package gcpdriver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"google.golang.org/api/compute/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/hotupdate/providerconfig/examples/gcp"
	"github.com/hotupdate/providerconfig/hotupdate/driver"
	"github.com/hotupdate/providerconfig/tags"
)

// accountLane is the lane of the service account, which is applied to drained nodes only.
const accountLane = "service-account"

// The attributes. A service account that has changed is in use once the VM runs, so the two belong
// together.
const (
	serviceAccount = "serviceAccount"
	status         = "status"
)

// The states of a VM that do not pass by themselves, and in which the service account can be
// changed or the VM can be stopped (Compute Engine, VM instance life cycle).
const (
	running    = "RUNNING"
	terminated = "TERMINATED" // stopped, with its disks
)

// noAccount is the value of a VM without a service account.
const noAccount = "[]"

// serviceAccountGroup describes how the service account changes: the VM is stopped, gets its
// account, and is started. Each pass makes the next of these calls, and waits while the VM is on its
// way. So an update that is interrupted goes on where it was.
func serviceAccountGroup() driver.AttributeGroup[gcp.ProviderSpec, *machine] {
	return driver.AttributeGroup[gcp.ProviderSpec, *machine]{
		Kind: tags.VM, Lane: accountLane, Asynchronous: true, Modify: changeAccount,
		Attributes: driver.Attributes{
			Defaults: map[string]string{serviceAccount: noAccount, status: running}, Check: oneAccount,
		},
		Project: func(spec *gcp.ProviderSpec, _ *driver.Resource) map[string]string {
			if len(spec.ServiceAccounts) == 0 {
				return nil
			}
			return map[string]string{serviceAccount: accountText(spec.ServiceAccounts)}
		},
	}
}

// accountText writes service accounts as one text. Neither they nor their scopes have an order.
func accountText(accounts []gcp.ServiceAccount) string {
	ordered := make([]gcp.ServiceAccount, len(accounts))
	for i, account := range accounts {
		scopes := slices.Compact(slices.Sorted(slices.Values(account.Scopes)))
		ordered[i] = gcp.ServiceAccount{Email: account.Email, Scopes: scopes}
	}
	slices.SortFunc(ordered, func(a, b gcp.ServiceAccount) int { return strings.Compare(a.Email, b.Email) })
	text, _ := json.Marshal(ordered) // strings are always valid
	return string(text)
}

func accountsIn(text string) (accounts []gcp.ServiceAccount) {
	_ = json.Unmarshal([]byte(text), &accounts) // written by accountText
	return accounts
}

// oneAccount refuses more than one service account (Compute Engine API, Instance).
func oneAccount(_, new map[string]string, path *field.Path) field.ErrorList {
	if len(accountsIn(new[serviceAccount])) > 1 {
		return field.ErrorList{field.Forbidden(path.Child(serviceAccount), "must be one account at the most")}
	}
	return nil
}

// accountReadings reads the service account and the state of a VM. A VM on its way to another state
// is waited for.
func accountReadings(vm *compute.Instance) map[string]driver.Reading {
	accounts := []gcp.ServiceAccount{}
	for _, account := range vm.ServiceAccounts {
		accounts = append(accounts, gcp.ServiceAccount{Email: account.Email, Scopes: account.Scopes})
	}
	state := driver.Modifying(vm.Status, "")
	if slices.Contains([]string{running, terminated, "SUSPENDED"}, vm.Status) {
		state = driver.Settled(vm.Status)
	}
	return map[string]driver.Reading{serviceAccount: driver.Settled(accountText(accounts)), status: state}
}

// changeAccount makes the next call on the way to the service account.
func changeAccount(ctx context.Context, m *machine, vm *driver.Resource, values map[string]string) error {
	account := vm.Attributes[serviceAccount].Value()
	state := vm.Attributes[status].Value()
	switch {
	case state == terminated && account == values[serviceAccount]:
		return m.carryOut(ctx, m.service.Instances.Start(m.project, m.zone, m.name).Context(ctx).Do)
	case state == terminated:
		accounts := append(accountsIn(values[serviceAccount]), gcp.ServiceAccount{}) // without one, it is removed
		return m.carryOut(ctx, m.service.Instances.SetServiceAccount(m.project, m.zone, m.name,
			&compute.InstancesSetServiceAccountRequest{
				Email: accounts[0].Email, Scopes: accounts[0].Scopes, ForceSendFields: []string{"Email", "Scopes"},
			}).Context(ctx).Do)
	case state == running:
		return m.carryOut(ctx, m.service.Instances.Stop(m.project, m.zone, m.name).Context(ctx).Do)
	}
	return errors.New("the VM is " + cmp.Or(strings.ToLower(state), "in no known state") + "; resume it")
}
