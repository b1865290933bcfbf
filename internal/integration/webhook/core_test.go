package webhook_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// core stands in for the API server that an API server for custom resources reads. It has webhook
// configurations, and nothing else.
type core struct {
	*httptest.Server

	mutex   sync.Mutex
	config  *admissionv1.ValidatingWebhookConfiguration
	version int
	changed chan struct{} // it is closed when the configuration changes
}

func startCore(t *testing.T) *core {
	t.Helper()
	c := &core{version: 1, changed: make(chan struct{})}
	c.Server = httptest.NewServer(c)
	t.Cleanup(func() {
		c.CloseClientConnections()
		c.Close()
	})
	return c
}

// use makes a configuration the only one.
func (c *core) use(config *admissionv1.ValidatingWebhookConfiguration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.version++
	c.config = config.DeepCopy()
	c.config.TypeMeta = metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"}
	c.config.ResourceVersion = strings.Repeat("1", c.version) // the version grows as a number
	c.config.Generation = int64(c.version)
	close(c.changed)
	c.changed = make(chan struct{})
}

// state returns the configuration, and a channel that is closed when it changes.
func (c *core) state() (*admissionv1.ValidatingWebhookConfiguration, chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.config, c.changed
}

func (c *core) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	isOfWebhooks := strings.HasSuffix(r.URL.Path, "/validatingwebhookconfigurations")
	config, changed := c.state()
	if r.URL.Query().Get("watch") != "" {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		for isOfWebhooks {
			if config != nil {
				_ = json.NewEncoder(w).Encode(map[string]any{"type": "MODIFIED", "object": config})
				_ = http.NewResponseController(w).Flush()
			}
			select {
			case <-r.Context().Done():
				return
			case <-changed:
			}
			config, changed = c.state()
		}
		<-r.Context().Done()
		return
	}
	items := []any{}
	if isOfWebhooks && config != nil {
		items = append(items, config)
	}
	list := map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": items}
	list["apiVersion"] = strings.TrimPrefix(strings.TrimPrefix(r.URL.Path[:strings.LastIndexByte(r.URL.Path, '/')], "/apis/"), "/api/")
	if isOfWebhooks {
		list["kind"] = "ValidatingWebhookConfigurationList"
	}
	_ = json.NewEncoder(w).Encode(list)
}
