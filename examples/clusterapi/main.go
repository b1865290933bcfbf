// Command clusterapi shows how Cluster API updates a machine in place with a runtime extension that
// knows the class of each field:
//
//	go run -C examples/clusterapi .
//
// The hooks, their server and the API types are real, and called over TLS. API server, cloud and
// clock are simulated in memory. The command fails if the cloud does not have the right tags.
// Package extension is the part to copy.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	hooksv1 "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hotupdate/providerconfig/examples/clusterapi/world"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := demonstrate(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clusterapi: "+err.Error())
		os.Exit(1)
	}
}

// demonstrate prints what the extension answers, and runs an update.
func demonstrate(ctx context.Context, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, err := world.Start(ctx, nil, map[string]string{"team": "a", "cost": "1"})
	if err != nil {
		return err
	}
	handlers, err := w.Discover(ctx)
	if err != nil {
		return err
	}
	for _, handler := range handlers {
		fmt.Fprintln(out, "the extension answers", handler.RequestHook.Hook)
	}
	return errors.Join(judge(ctx, w, out), update(ctx, w, out))
}

// judge asks the extension about changes of a template.
func judge(ctx context.Context, w *world.World, out io.Writer) error {
	const before = `{"instanceType":"m5.large","additionalTags":{"team":"a","cost":"1"},
		"additionalSecurityGroups":[{"id":"sg-1"},{"id":"sg-2"}]}`
	for _, change := range []struct{ name, after string }{
		{
			"other tags, security groups in another order, and a default that is spelled out",
			`{"instanceType":"m5.large","additionalTags":{"team":"b"},
			"additionalSecurityGroups":[{"id":"sg-2"},{"id":"sg-1"}],"hostAffinity":"default"}`,
		},
		{
			"other tags and another instance type",
			`{"instanceType":"m5.xlarge","additionalTags":{"team":"b"},
			"additionalSecurityGroups":[{"id":"sg-1"},{"id":"sg-2"}]}`,
		},
	} {
		v, err := w.CanUpdateMachineSet(ctx, templates(before), templates(change.after))
		if err != nil {
			return err
		}
		if v.Left == "" {
			v.Message = "updates machines in place"
		}
		fmt.Fprintf(out, "%s: %s\n", change.name, v.Message)
	}
	return nil
}

func templates(spec string) (o hooksv1.CanUpdateMachineSetRequestObjects) {
	o.MachineSet.Spec.Template.Spec.Bootstrap.ConfigRef.Name = "c"
	o.InfrastructureMachineTemplate = runtime.RawExtension{Raw: []byte(
		`{"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"AWSMachineTemplate",` +
			`"spec":{"template":{"spec":` + spec + `}}}`)}
	return o
}

// update updates the machine of the world, which the extension has seen before.
func update(ctx context.Context, w *world.World, out io.Writer) error {
	if err := w.Adopt(ctx); err != nil {
		return err
	}
	for _, desired := range []map[string]string{{"team": "b", "new": "1"}, {"team": "b"}} {
		if err := w.Desire(ctx, desired); err != nil {
			return err
		}
		took, err := w.Finish(ctx)
		if err != nil {
			return err
		}
		live := w.Cloud.Tags()["i-1"]
		want := map[string]string{"sigs.k8s.io/cluster-api-provider-aws/cluster/c": "owned"}
		maps.Copy(want, desired)
		if !maps.Equal(live, want) {
			return fmt.Errorf("the instance has %v, and should have %v", live, want)
		}
		fmt.Fprintf(out, "UpdateMachine is done after %s: the instance has %v\n", took, live)
	}
	return nil
}
