package admission

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"
)

// Judgement is what a change of an object does.
type Judgement struct {
	// Verdict is the gravest verdict.
	Verdict string
	// Warnings are shown to the author of the change; empty if there is nothing to warn of.
	Warnings []string
	// IsStopped says that the change needs a confirmation.
	IsStopped bool
	// Contrary is the rule by which the API server must refuse the change; empty if there is none.
	// The API server validates an object before it asks a webhook, so the rule is wrong, and the
	// rest of the judgement does not count.
	Contrary string
}

// Judge judges the change of an object that an API server has. Its work ends with the context. It is called in several
// goroutines. An error has no values of the objects.
type Judge func(ctx context.Context, old, updated []byte) (*Judgement, error)

// Options configure a server.
type Options struct {
	Judge Judge
	// Verdicts are the words of the verdicts that Judge can give.
	Verdicts []string
	// RefusesUnjudged says that changes that are not judged are refused unless they are confirmed.
	RefusesUnjudged bool
	// CertFile and KeyFile are the files of the certificate, in PEM.
	CertFile, KeyFile string
	Log               *slog.Logger
	// MaxReview bounds a review, in bytes; 0 means [DefaultMaxReview].
	MaxReview int
	// Clock replaces the clock; nil means the clock of the system.
	Clock func() time.Time
}

// DefaultMaxReview is the size of a review that is read: two objects of at most 1.5 MiB, the limit of etcd, and the
// rest.
const DefaultMaxReview = 4 << 20

func (o *Options) now() time.Time {
	if o.Clock != nil {
		return o.Clock()
	}
	return time.Now()
}

// Server answers reviews.
type Server struct {
	Options

	metrics *metrics
	cert    *certificate
	// reading holds a place for each review in memory, and judging for each comparison.
	reading, judging chan struct{}
}

// reviewsPerProcessor is the number of reviews that are held in memory for each comparison that can run.
const reviewsPerProcessor = 8

// New returns a server. The certificate has to be readable.
func New(o Options) (*Server, error) {
	if o.MaxReview == 0 {
		o.MaxReview = DefaultMaxReview
	}
	processors := runtime.GOMAXPROCS(0)
	s := &Server{
		Options: o, metrics: newMetrics(o.Verdicts), reading: make(chan struct{}, reviewsPerProcessor*processors),
		judging: make(chan struct{}, processors),
	}
	var err error
	s.cert, err = newCertificate(&o, s.metrics)
	return s, err
}

// The paths of the server.
const (
	ReviewPath  = "/review"
	healthPath  = "/healthz"
	metricsPath = "/metrics"
)

// Handler returns the handler of all paths.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+ReviewPath, s.review)
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // a client that left needs no answer
	})
	mux.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(s.metrics.text())) // a client that left needs no answer
	})
	return mux
}

// The limits of connections.
const (
	headerTimeout = 5 * time.Second
	maxTimeout    = 30 * time.Second // of a webhook, by its API
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10
	shutdownGrace = 10 * time.Second
)

// The limits of HTTP/2. Reviews that wait for a place are not read. All reviews of a connection
// together must not fill its window, or reviews that have a place would wait for the others. So an
// API server opens another connection above them.
const (
	streams      = 60
	streamWindow = 64 << 10
)

// Serve answers on a listener until the context ends. Then it finishes the reviews that have begun.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: maxTimeout, WriteTimeout: 2 * maxTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.cert.get},
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: streams, MaxReceiveBufferPerStream: streamWindow,
			MaxReceiveBufferPerConnection: streams * streamWindow,
		},
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		ended <- server.Shutdown(grace)
	}()
	s.Log.Info("serving", "address", listener.Addr().String())
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}
