package login_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hotupdate/providerconfig/hotupdate/driver/login"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// Cloud stands in for the client of an SDK.
type Cloud struct{ user, region string }

// logIn logs in with the values of a secret. The scope is the region.
func logIn(_ context.Context, secret map[string][]byte, region string) (*Cloud, error) {
	fmt.Println("login in", region)
	return &Cloud{login.Value(secret, "username"), region}, nil
}

type access struct{ clouds *login.Cache[Cloud] }

type machine struct {
	cloud   *Cloud
	account []string // for Key of driver.Sharing: calls are shared by equal credentials in one region
}

// connect is Connect of a driver.Definition.
func (a *access) connect(ctx context.Context, r *machineupdate.UpdateMachineRequest, region string) (*machine, error) {
	cloud, err := a.clouds.Client(ctx, r.Secret, region)
	return &machine{cloud, []string{login.Key(r.Secret, region)}}, err
}

// told drops a client whose token the cloud refuses. It is for SDKs that do not log in again.
func (a *access) told(m *machine, status int) {
	if status == http.StatusUnauthorized {
		a.clouds.Forget(m.cloud)
	}
}

func ExampleCache() {
	a := &access{clouds: login.New(logIn)}
	request := &machineupdate.UpdateMachineRequest{Secret: map[string][]byte{"username": []byte("mcm\n"), "password": []byte("1")}}
	update := func() *machine {
		m, err := a.connect(context.Background(), request, "eu-1")
		if err != nil {
			fmt.Println(err)
		}
		return m
	}
	first := update()
	second := update()
	fmt.Println(first.cloud == second.cloud, first.account[0] == second.account[0], first.cloud.user)
	request.Secret["password"] = []byte("2") // it was rotated
	third := update()
	a.told(third, http.StatusUnauthorized)
	update()
	// Output:
	// login in eu-1
	// true true mcm
	// login in eu-1
	// login in eu-1
}

func ExampleValue() {
	secret := map[string][]byte{"providerAccessKeyId": []byte("AKIA\n")}
	fmt.Println(login.Value(secret, "accessKeyID", "providerAccessKeyId"))
	// Output: AKIA
}

func ExampleKey() {
	rotated := login.Key(map[string][]byte{"password": []byte("2")}, "eu-1")
	fmt.Println(rotated == login.Key(map[string][]byte{"password": []byte("1")}, "eu-1"))
	fmt.Println(rotated == login.Key(map[string][]byte{"password": []byte("2"), "userData": []byte("#cloud-config")}, "eu-1"))
	// Output:
	// false
	// true
}
