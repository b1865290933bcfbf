package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/admission"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/side"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	listen, cert, key string
	refuse            []string
}

func (c *call) serveCommand() *cobra.Command {
	return c.command(&cobra.Command{
		Use:   "serve",
		Short: "warn at kubectl apply: an admission webhook that says what plan says",
		Args:  needs(),
	}, c.serveReviews, c.addServe, c.addDefinitions, c.addLandscape, func(command *cobra.Command) {
		command.Flags().StringVar(&c.configFile, "config", "", "the config `FILE`, or none")
	})
}

func (c *call) addServe(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&c.serve.listen, "listen", ":8443", "the `ADDRESS` of the server")
	flags.StringVar(&c.serve.cert, "tls-cert", "", "the `FILE` with the certificate, which may be renewed")
	flags.StringVar(&c.serve.key, "tls-key", "", "the `FILE` with its key")
	flags.StringSliceVar(&c.serve.refuse, "refuse", nil,
		"refuse changes with these `VERDICTS` until a person confirms them, as in roll,removed")
	ofVerdicts(command, "refuse", verdict.Failing())
}

// serveReviews serves until it is interrupted.
func (c *call) serveReviews() (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.serve.cert == "" || c.serve.key == "" {
		return 0, &usageError{"needs --tls-cert and --tls-key: API servers call webhooks by HTTPS only"}
	}
	if slices.Contains([]string{c.crd, c.classes, c.eras, c.cloudProfile}, stdin) {
		return 0, &usageError{"standard input cannot be one of the files: a server reads them again"}
	}
	if err := c.configureAndTell(); err != nil {
		return 0, err
	}
	judging, err := c.judging()
	if err != nil {
		return 0, err
	}
	log := slog.New(slog.NewJSONHandler(c.std.err, nil))
	isOpen := len(c.serve.refuse) > 0 && !c.passUndecided
	server, err := admission.New(admission.Options{
		Judge: judging.judge, Verdicts: verdict.Words(verdict.OfPools()), RefusesUnjudged: isOpen,
		CertFile: c.serve.cert, KeyFile: c.serve.key, Log: log,
	})
	if err != nil {
		return 0, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", c.serve.listen)
	if err != nil {
		return 0, fmt.Errorf("--listen: %w", err)
	}
	go judging.keep(ctx, landscapeFile{read: c.landscape, name: c.cloudProfile}, log)
	return exitOK, server.Serve(ctx, listener)
}

// judging judges the objects of reviews. It is safe for concurrent use.
type judging struct {
	reader    *side.Reader
	landscape atomic.Pointer[side.Landscape] // replaces the landscape of the reader
	gate      pool.Gate
}

// judging compiles everything that the flags and the config file name.
func (c *call) judging() (*judging, error) {
	reader, err := c.reader()
	if err != nil {
		return nil, err
	}
	if err := reader.Compile(); err != nil {
		return nil, errors.New(manifests.Reason(err))
	}
	j := &judging{reader: reader, gate: pool.Gate{On: c.serve.refuse, PassesUndecided: c.passUndecided}}
	j.landscape.Store(reader.Landscape)
	return j, nil
}

// judge judges the change of an object.
func (j *judging) judge(ctx context.Context, old, updated []byte) (*admission.Judgement, error) {
	reader := *j.reader
	reader.Landscape = j.landscape.Load()
	plan, warnings, err := reader.CompareObjects(ctx, old, updated)
	if err != nil {
		return nil, errors.New(manifests.Reason(err))
	}
	if rule := plan.RefusalByGardener(); rule != verdict.NoRule {
		return &admission.Judgement{Verdict: verdict.Forbidden.String(), Contrary: rule.Text}, nil
	}
	shown := report.New([]*pool.Plan{plan}, warnings, report.Selection{})
	return &admission.Judgement{
		Verdict: shown.Verdict, Warnings: report.Warnings(shown), IsStopped: j.gate.Stops(plan),
	}, nil
}

// landscapeFile is the file with the CloudProfiles.
type landscapeFile struct {
	read func() (*side.Landscape, error)
	name string // empty if the config file has them
}

// state changes when the file does. It is zero for a missing file.
func (f landscapeFile) state() fileState {
	if info, err := os.Stat(f.name); err == nil {
		return fileState{info.ModTime(), info.Size()}
	}
	return fileState{}
}

type fileState struct {
	changed time.Time
	size    int64
}

// The interval at which the file is checked, and the time after which even an unchanged file is
// read again, because versions in CloudProfiles expire.
const (
	landscapeLook = 2 * time.Second
	landscapeAge  = time.Minute
)

// keep reads the CloudProfiles again until the context ends. If they cannot be read, the previous
// ones stay in use.
func (j *judging) keep(ctx context.Context, file landscapeFile, log *slog.Logger) {
	if j.reader.Landscape == nil {
		return
	}
	ticker := time.NewTicker(landscapeLook)
	defer ticker.Stop()
	var state fileState // the file may have changed since the start
	var read time.Time
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return
		case now = <-ticker.C:
		}
		found := file.state()
		if found == state && now.Sub(read) < landscapeAge {
			continue
		}
		state = found
		read = now
		landscape, err := file.read()
		if err != nil {
			log.Error("the CloudProfiles cannot be read; the former ones stay", "error", err.Error())
			continue
		}
		j.landscape.Store(landscape)
	}
}
