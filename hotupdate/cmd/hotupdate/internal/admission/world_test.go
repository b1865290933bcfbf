package admission_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/admission"
)

// world is a server that listens, with its log.
type world struct {
	*admission.Server

	address string
	roots   *x509.CertPool
	log     *safeBuffer
	stop    func() error
}

// safeBuffer is a log that several goroutines write and read.
type safeBuffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.String()
}

// start starts a server that judges by a function, with the changed options.
func start(t *testing.T, judge admission.Judge, changes ...func(*admission.Options)) *world {
	t.Helper()
	w := &world{log: &safeBuffer{}, roots: x509.NewCertPool()}
	dir := t.TempDir()
	o := admission.Options{
		Judge: judge, Verdicts: []string{"roll", "none"}, CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"),
		Log: slog.New(slog.NewJSONHandler(w.log, nil)),
	}
	for _, change := range changes {
		change(&o)
	}
	w.renew(t, &o, time.Now().Add(time.Hour))
	var err error
	w.Server, err = admission.New(o)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.address = "https://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, listener) }()
	w.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = w.stop() })
	return w
}

// serials counts the certificates of all tests, which run at once.
var serials atomic.Int64

// renew writes another certificate, and trusts it.
func (w *world) renew(t *testing.T, o *admission.Options, until time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serials.Add(1)), Subject: pkix.Name{CommonName: "webhook"}, NotBefore: time.Now().Add(-2 * time.Hour),
		NotAfter:    until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	require.NoError(t, os.WriteFile(o.CertFile, cert, 0o600))
	require.NoError(t, os.WriteFile(o.KeyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	w.roots.AppendCertsFromPEM(cert)
}

// client is a new client, which makes a handshake of its own.
func (w *world) client() *http.Client {
	return &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: w.roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true},
	}
}

// answer is what an API server reads of an answer.
type answer struct {
	APIVersion, Kind string
	Response         struct {
		UID      string
		Allowed  bool
		Warnings []string
		Status   struct {
			Status, Message, Reason string
			Code                    int
		}
	}
}

// ask sends a review.
func (w *world) ask(t *testing.T, text string) (answer, *http.Response) {
	t.Helper()
	return w.askBy(t, text, "3s")
}

// askBy sends a review with a timeout. It closes its connection, for which a server that ends would wait a second.
func (w *world) askBy(t *testing.T, text, timeout string) (a answer, _ *http.Response) {
	t.Helper()
	client := w.client()
	defer client.CloseIdleConnections()
	response, err := client.Post(w.address+admission.ReviewPath+"?timeout="+timeout, "application/json", bytes.NewReader([]byte(text)))
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	if response.StatusCode == http.StatusOK {
		require.NoError(t, json.Unmarshal(body, &a), string(body))
	}
	return a, response
}

// page reads a page of the server.
func (w *world) page(t *testing.T, path string) string {
	t.Helper()
	client := w.client()
	defer client.CloseIdleConnections()
	response, err := client.Get(w.address + path)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// reviewOf is a review as an API server writes it, with the given members of the request.
func reviewOf(uid, operation, old, updated string) string {
	return fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":%q,`+
		`"kind":{"group":"a.example","version":"v1","kind":"Pool"},"resource":{"group":"a.example","version":"v1","resource":"pools"},`+
		`"name":"web","namespace":"dev","operation":%q,"userInfo":{"username":"ann","groups":["system:authenticated"]},`+
		`"object":%s,"oldObject":%s,"dryRun":false,"options":{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"}}}`, uid, operation, updated, old)
}

// objectOf is an object with some metadata and a spec.
func objectOf(metadata, spec string) string {
	return `{"apiVersion":"a.example/v1","kind":"Pool","metadata":{"name":"web","uid":"u-1","generation":4` + metadata + `},"spec":` + spec + `}`
}
