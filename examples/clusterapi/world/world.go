// Package world is the environment of the extension: an API server and a cloud, both in memory, and
// Cluster API's calls of the hooks over TLS.
package world

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	certutil "k8s.io/client-go/util/cert"
	infrav1 "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/exp/runtime/server"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hotupdate/providerconfig/examples/clusterapi/extension"
)

// World is a management cluster with the extension, and one AWSMachine m with the instance i-1.
type World struct {
	Extension *extension.Extension
	Client    client.Client
	Cloud     Cloud
	// OnPatch wraps each patch of an AWSMachine. It may be nil.
	OnPatch func(patch func() error) error

	url     string
	http    http.Client
	elapsed atomic.Int64
}

// Start makes the world, and serves the extension until the context is done. The cluster, the
// machine and the instance have these tags.
func Start(ctx context.Context, clusterTags, machineTags map[string]string) (*World, error) {
	w := &World{}
	if err := w.connect(clusterTags, machineTags); err != nil {
		return nil, err
	}
	var err error
	w.Extension, err = extension.New(extension.Config{Client: w.Client, EC2: &w.Cloud, Now: w.Now, Wait: w.sleep})
	if err != nil {
		return nil, err
	}
	var transport *http.Transport
	w.url, transport, err = Serve(ctx, w.Extension)
	w.http.Transport = transport
	return w, err
}

// Now returns the time of this world. Only Pass changes it.
func (w *World) Now() time.Time {
	return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).Add(time.Duration(w.elapsed.Load()))
}

// Pass lets time pass.
func (w *World) Pass(d time.Duration) { w.elapsed.Add(int64(d)) }

// sleep does not wait, and fails: the next call of UpdateMachine repeats a throttled call.
func (w *World) sleep(context.Context, time.Duration) error { return context.DeadlineExceeded }

// connect makes the API server, which checks resourceVersions as a real one does.
func (w *World) connect(clusterTags, machineTags map[string]string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{infrav1.AddToScheme, clusterv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c"}}
	cluster.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{
		APIGroup: infrav1.GroupVersion.Group, Kind: "AWSCluster", Name: "c",
	}
	infra := &infrav1.AWSCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c"},
		Spec:       infrav1.AWSClusterSpec{AdditionalTags: clusterTags},
	}
	machine := &infrav1.AWSMachine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "m", Labels: map[string]string{clusterv1.ClusterNameLabel: "c"},
		},
		Spec: infrav1.AWSMachineSpec{
			ProviderID: new("aws:///eu-west-1a/i-1"), InstanceType: "m5.large", AdditionalTags: machineTags,
		},
	}
	w.Client = interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster, infra,
		machine).Build(), interceptor.Funcs{
		Patch: func(
			ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch,
			options ...client.PatchOption,
		) error {
			send := func() error { return c.Patch(ctx, object, patch, options...) }
			if w.OnPatch == nil {
				return send()
			}
			return w.OnPatch(send)
		},
	})
	w.Cloud.Launch("1", clusterTags, machineTags)
	return nil
}

// Serve serves the hooks on loopback, with a new certificate, until the context is done. The
// transport trusts the certificate.
func Serve(ctx context.Context, e *extension.Extension) (url string, transport *http.Transport, err error) {
	port, err := FreePort()
	if err != nil {
		return "", nil, err
	}
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return "", nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return "", nil, err
	}
	hooks, err := extension.NewServer(e, server.Options{Host: "127.0.0.1", Port: port, TLSOpts: []func(*tls.Config){
		func(c *tls.Config) {
			c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }
		},
	}})
	if err != nil {
		return "", nil, err
	}
	failed := make(chan error, 1)
	go func() { failed <- hooks.Start(ctx) }()
	started := func(context.Context) (bool, error) {
		select {
		case err := <-failed:
			return false, err
		default:
			return hooks.StartedChecker()(nil) == nil, nil
		}
	}
	err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 10*time.Second, true, started)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	return fmt.Sprintf("https://127.0.0.1:%d", port), &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}, err
}

// FreePort returns a port of loopback that is free.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
