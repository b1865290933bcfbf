// Package apiserver starts a Kubernetes API server in this process: k8s.io/apiextensions-apiserver
// over an embedded etcd, with the CustomResourceDefinitions of the example. It listens on loopback,
// and keeps its files in a temporary folder until it is stopped.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc/grpclog"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// Server is a running API server.
type Server struct {
	// Config is a client's configuration with all rights.
	Config *rest.Config

	stop []func()
}

// nowhere is the address of a server that does not exist. The options of the API server require the kubeconfig of one,
// for parts that are off.
const nowhere = "http://127.0.0.1:1"

// kubeconfigOf is the kubeconfig of a server.
func kubeconfigOf(address string) []byte {
	return fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "current-context": "n",
"contexts": [{"name": "n", "context": {"cluster": "n", "user": "n"}}], "users": [{"name": "n", "user": {}}],
"clusters": [{"name": "n", "cluster": {"server": %q}}]}`, address)
}

// Start starts a server that serves the example's objects. It discards the logs of server and
// clients through klog.
func Start(ctx context.Context) (*Server, error) {
	return start(ctx, nowhere, "ValidatingAdmissionPolicy,ValidatingAdmissionWebhook")
}

// StartAdmitting is [Start] for a server that calls validating webhooks. It reads their configurations from another
// API server at an address, since it serves custom resources only.
func StartAdmitting(ctx context.Context, address string) (*Server, error) {
	return start(ctx, address, "ValidatingAdmissionPolicy")
}

// start starts a server without some plugins of admission. Those that it has read objects at the address.
func start(ctx context.Context, address, without string) (_ *Server, err error) {
	klog.SetLogger(logr.Discard())
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
	s := &Server{}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	dir, err := os.MkdirTemp("", "machinecontroller")
	if err != nil {
		return nil, err
	}
	s.stop = append(s.stop, func() { _ = os.RemoveAll(dir) }) // an error only leaves a temporary folder
	endpoint, stop, err := StartEtcd(dir)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	s.stop = append(s.stop, stop)
	kubeconfig := filepath.Join(dir, "kubeconfig")
	core := filepath.Join(dir, "core")
	err = errors.Join(os.WriteFile(kubeconfig, kubeconfigOf(nowhere), 0o600),
		os.WriteFile(core, kubeconfigOf(address), 0o600))
	if err != nil {
		return nil, err
	}
	started, err := servertesting.StartTestServer(&failures{}, nil, []string{
		"--etcd-servers=" + endpoint, "--kubeconfig=" + core, "--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--authentication-skip-lookup", "--enable-priority-and-fairness=false",
		"--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionPolicy,MutatingAdmissionWebhook," + without,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("API server: %w", err)
	}
	s.stop = append(s.stop, started.TearDownFn)
	s.Config = rest.CopyConfig(started.ClientConfig)
	// CustomResourceDefinitions need it
	s.Config.ContentType = "application/json"
	s.Config.AcceptContentTypes = "application/json"
	s.Config.QPS = -1
	s.Config.Burst = 0
	client, err := clientset.NewForConfig(s.Config)
	if err != nil {
		return nil, err
	}
	return s, Define(ctx, client.ApiextensionsV1().CustomResourceDefinitions(),
		slices.Concat(Machines(), kubernetes())...)
}

// Stop stops the server and removes its files.
func (s *Server) Stop() {
	for len(s.stop) > 0 {
		last := len(s.stop) - 1
		s.stop[last]()
		s.stop = s.stop[:last]
	}
}

// StartEtcd starts an etcd behind a socket in the folder.
func StartEtcd(dir string) (endpoint string, stop func(), err error) {
	client := url.URL{Scheme: "unix", Path: filepath.Join(dir, "etcd")}
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "data")
	config.LogLevel = "fatal"
	config.ListenClientUrls = []url.URL{client}
	config.ListenPeerUrls = nil
	config.UnsafeNoFsync = true // the data does not outlive the process
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return client.String(), etcd.Close, nil
	case err = <-etcd.Err():
	case <-time.After(time.Minute):
		err = context.DeadlineExceeded
	}
	etcd.Close()
	return "", nil, err
}

// failures is the part of testing.T that StartTestServer needs. It also returns errors.
type failures struct{}

func (failures) Logf(string, ...any)            {}
func (failures) Errorf(string, ...any)          {}
func (failures) Fatalf(format string, a ...any) { klog.Errorf(format, a...) }
