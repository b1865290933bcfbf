package admission

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is a certificate with its key in two files, which a cluster renews. It is safe for concurrent use.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	metrics           *metrics
	now               func() time.Time

	mutex   sync.Mutex
	used    *tls.Certificate
	text    string    // of the files that were tried last
	checked time.Time // when the files were read last
}

// readEvery is the interval at which the files are checked.
const readEvery = 10 * time.Second

// newCertificate reads the files, which must be usable at the start.
func newCertificate(o *Options, m *metrics) (*certificate, error) {
	c := &certificate{certFile: o.CertFile, keyFile: o.KeyFile, log: o.Log, metrics: m, now: o.now}
	return c, c.read()
}

// get returns the certificate for a handshake. A certificate that was renewed is used from the next
// handshake on. If the files are broken or do not belong together, for example between two writes,
// the previous certificate stays in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.now().Sub(c.checked) >= readEvery {
		if err := c.read(); err != nil {
			c.metrics.change(func() { c.metrics.unread++ })
			c.log.Error("the certificate cannot be read; the former one stays", "error", err.Error())
		}
	}
	return c.used, nil
}

// read reads the files, and uses them if they have changed.
func (c *certificate) read() error {
	c.checked = c.now()
	cert, certErr := os.ReadFile(c.certFile)
	key, keyErr := os.ReadFile(c.keyFile)
	if err := errors.Join(certErr, keyErr); err != nil {
		return err
	}
	text := string(cert) + string(key)
	if text == c.text {
		return nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.certFile, c.keyFile, err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return fmt.Errorf("%s: %w", c.certFile, err)
	}
	c.text = text
	c.used = &pair
	c.metrics.change(func() { c.metrics.expires = leaf.NotAfter })
	c.log.Info("certificate", "expires", leaf.NotAfter.UTC().Format(time.RFC3339))
	if c.now().After(leaf.NotAfter) {
		c.log.Error("the certificate has expired: API servers do not call this server")
	}
	return nil
}
