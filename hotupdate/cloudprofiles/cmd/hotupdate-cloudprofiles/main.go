// Command hotupdate-cloudprofiles keeps a file up to date with the CloudProfiles and NamespacedCloudProfiles of a
// cluster, by a watch. It runs beside hotupdate serve, which reads the file by --cloudprofile and so needs no rights.
//
//	go install github.com/hotupdate/providerconfig/hotupdate/cloudprofiles/cmd/hotupdate-cloudprofiles@latest
//
// hotupdate help webhook says how both are deployed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate/cloudprofiles/internal/mirror"
)

const program = "hotupdate-cloudprofiles"

// The exit codes.
const (
	exitOK = iota
	exitError
	exitUsage
)

func main() { os.Exit(runUntilInterrupted()) }

func runUntilInterrupted() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], os.Stderr)
}

// usageError is a mistake on the command line.
type usageError struct{ text string }

// Error returns the text.
func (e *usageError) Error() string { return e.text }

// run runs the program until the context ends, and returns the exit code.
func run(ctx context.Context, arguments []string, stderr io.Writer) int {
	err := keep(ctx, arguments, stderr)
	var usage *usageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %v\n", program, err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "%s: %v\n", program, err)
	return exitError
}

const usage = `Keeps FILE up to date with all CloudProfiles and NamespacedCloudProfiles of a cluster, for
hotupdate serve --cloudprofile FILE. It needs get, list and watch of both resources. GET /healthz
answers 200 once the file is written. Logs are JSON on standard error.

Flags:
`

// flags are those of the command line.
type flags struct{ file, kubeconfig, listen string }

func parse(arguments []string, output io.Writer) (*flags, error) {
	f := &flags{}
	set := flag.NewFlagSet(program, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.file, "file", "", "the `FILE` that is kept, required")
	set.StringVar(&f.kubeconfig, "kubeconfig", "",
		"the `FILE` of the cluster with Shoots; without it, the cluster that this runs in")
	set.StringVar(&f.listen, "listen", ":8081", "the `ADDRESS` of /healthz")
	err := set.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(output, usage)
		set.SetOutput(output)
		set.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, &usageError{err.Error() + "; --help shows the flags"}
	case set.NArg() > 0:
		return nil, &usageError{fmt.Sprintf("takes no arguments, but got %q", set.Args())}
	case f.file == "":
		return nil, &usageError{"needs --file: the file that hotupdate serve reads by --cloudprofile"}
	}
	return f, nil
}

// keep keeps the file until the context ends.
func keep(ctx context.Context, arguments []string, stderr io.Writer) error {
	f, err := parse(arguments, stderr)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	klog.SetSlogLogger(log)
	client, err := f.client()
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", f.listen)
	if err != nil {
		return &mirror.Error{Where: "--listen", Err: err, Hint: "give an address that is free"}
	}
	m := mirror.New(mirror.Options{Client: client, File: f.file, Log: log})
	return serveWhile(ctx, listener, m, log)
}

// client returns a client of the cluster.
func (f *flags) client() (dynamic.Interface, error) {
	config, err := f.cluster()
	if err != nil {
		return nil, err
	}
	config.UserAgent = program
	return dynamic.NewForConfig(config)
}

func (f *flags) cluster() (*rest.Config, error) {
	if f.kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
		if err != nil {
			return nil, &mirror.Error{Where: "--kubeconfig", Err: err, Hint: "give a file that kubectl can use"}
		}
		return config, nil
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		hint := "mount a token of a ServiceAccount, or give --kubeconfig"
		return nil, &mirror.Error{Where: "the cluster that this runs in", Err: err, Hint: hint}
	}
	return config, nil
}

// requestTimeout bounds a request to /healthz.
const requestTimeout = 5 * time.Second

// serveWhile answers /healthz while the file is kept, until the context ends.
func serveWhile(ctx context.Context, listener net.Listener, m *mirror.Mirror, log *slog.Logger) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !m.IsWritten() {
			http.Error(w, "the CloudProfiles are not listed yet", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n") // a client that left needs no answer
	})
	server := &http.Server{Handler: mux, ReadTimeout: requestTimeout, WriteTimeout: requestTimeout}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		log.Info("serving", "address", listener.Addr().String())
		ended <- server.Serve(listener)
		stop()
	}()
	m.Run(ctx)
	_ = server.Close() // it ends Serve with an error of its own
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return &mirror.Error{Where: "--listen", Err: err, Hint: "give an address that stays"}
	}
	return nil
}
