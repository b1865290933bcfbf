// Command provider is the program of a provider of machine-controller-manager (MCM): its controller
// of machines with the driver of package awsmachines. It has the flags of MCM, and those of the
// simulated cloud.
//
// Built with the tag hotupdates, and with the change of package editedmcm, it updates running
// machines.
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/app"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/app/options"
	"github.com/spf13/pflag"

	"github.com/hotupdate/providerconfig/examples/drivers/awsdriver"
	"github.com/hotupdate/providerconfig/examples/machinecontroller/kubeapiserver/awsmachines"
)

func main() {
	server := options.NewMCServer()
	flags := pflag.NewFlagSet("provider", pflag.ExitOnError)
	server.AddFlags(flags)
	endpoint := flags.String("endpoint", "", "URL of the cloud")
	attempt := flags.Duration("attempt", time.Second, "longest time of a request to the cloud")
	cooldown := flags.Duration("volume-cooldown", 0, "time in which the cloud refuses another change of a volume")
	_ = flags.Parse(os.Args[1:]) // it exits

	driver, err := awsmachines.New(awsmachines.Config{
		Config: awsdriver.Config{
			Endpoint: *endpoint, HTTP: &http.Client{Timeout: *attempt}, VolumeCooldown: *cooldown,
		},
		MaxBackoff: *attempt, Poll: *attempt / 5,
	})
	if err == nil {
		err = app.Run(server, driver)
	}
	fmt.Fprintln(os.Stderr, "provider: "+err.Error())
	os.Exit(1)
}
