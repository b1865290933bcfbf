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

// The attributes. A changed service account is used once the VM runs again, so the update changes
// both.
const (
	serviceAccount = "serviceAccount"
	status         = "status"
)

// The lasting states of a VM, in which its service account can be changed or it can be stopped
// (Compute Engine, VM instance life cycle).
const (
	running    = "RUNNING"
	terminated = "TERMINATED" // stopped, with its disks
)

// noAccount is the attribute's value for a VM without a service account.
const noAccount = "[]"

// serviceAccountGroup describes how the service account changes: the update stops the VM, sets its
// account, and starts it. Each pass makes the next of these calls, and waits while the VM changes
// its state. So an interrupted update continues at the same step.
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

// accountText writes service accounts as one text. The order of accounts and of scopes has no
// meaning.
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

// accountReadings reads the service account and the state of a VM. While the VM changes its state,
// the reading is pending.
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

// changeAccount makes the next call of a change of the service account.
func changeAccount(ctx context.Context, m *machine, vm *driver.Resource, values map[string]string) error {
	account := vm.Attributes[serviceAccount].Value()
	state := vm.Attributes[status].Value()
	switch {
	case state == terminated && account == values[serviceAccount]:
		return m.carryOut(ctx, m.service.Instances.Start(m.project, m.zone, m.name).Context(ctx).Do)
	case state == terminated:
		accounts := append(accountsIn(values[serviceAccount]), gcp.ServiceAccount{}) // an empty account removes it
		return m.carryOut(ctx, m.service.Instances.SetServiceAccount(m.project, m.zone, m.name,
			&compute.InstancesSetServiceAccountRequest{
				Email: accounts[0].Email, Scopes: accounts[0].Scopes, ForceSendFields: []string{"Email", "Scopes"},
			}).Context(ctx).Do)
	case state == running:
		return m.carryOut(ctx, m.service.Instances.Stop(m.project, m.zone, m.name).Context(ctx).Do)
	}
	return errors.New("the VM is " + cmp.Or(strings.ToLower(state), "in no known state") + "; resume it")
}
