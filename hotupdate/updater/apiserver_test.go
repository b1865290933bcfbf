package updater_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
	"github.com/hotupdate/providerconfig/hotupdate/updater"
)

// TestMain silences the log: it has an error for each version that is not stored.
func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

const (
	namespace = "shoot--a--b"
	storeName = "machine-controller-hot-update-versions"
	mark      = "machine.sapcloud.io/hot-update-pruning"
)

// apiServer serves one ConfigMap with an API server's conditions for writes, and fails as the test
// says. It runs no Updater: that is tested on a real one, in examples/machinecontroller.
type apiServer struct {
	*testing.T

	config *rest.Config
	// fail may answer a request. It returns whether it has.
	fail func(w http.ResponseWriter, r *http.Request) bool

	mutex    sync.Mutex
	stored   *corev1.ConfigMap
	version  int
	requests []string // for ConfigMaps, method by method; events are sent at any time
}

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{T: t, fail: func(http.ResponseWriter, *http.Request) bool { return false }}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.config = &rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	return s
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isStore := strings.Contains(r.URL.Path, "/namespaces/"+namespace+"/configmaps")
	s.mutex.Lock()
	if isStore {
		s.requests = append(s.requests, r.Method)
	}
	fail := s.fail
	s.mutex.Unlock()
	if fail(w, r) {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var sent corev1.ConfigMap
	if r.Method != http.MethodGet {
		_ = json.NewDecoder(r.Body).Decode(&sent)
	}
	switch {
	case !isStore:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.Method == http.MethodPost && s.stored != nil:
		refuse(w, http.StatusConflict, metav1.StatusReasonAlreadyExists)
	case r.Method != http.MethodPost && s.stored == nil:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.Method == http.MethodPut && sent.ResourceVersion != s.stored.ResourceVersion:
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
	case r.Method == http.MethodGet:
		answer(w, http.StatusOK, s.stored)
	default:
		s.put(&sent)
		answer(w, http.StatusOK, s.stored)
	}
}

// put stores a ConfigMap. The caller holds the mutex, or no request is under way.
func (s *apiServer) put(object *corev1.ConfigMap) {
	s.version++
	s.stored = object.DeepCopy()
	s.stored.ResourceVersion = strconv.Itoa(s.version)
}

// given stores versions of classes.
func (s *apiServer) given(annotations, data map[string]string) {
	s.put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: storeName, Annotations: annotations}, Data: data})
}

// took returns what was asked about ConfigMaps since the last time.
func (s *apiServer) took() (methods string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	methods = strings.Join(s.requests, " ")
	s.requests = nil
	return methods
}

// data returns what is stored.
func (s *apiServer) data() map[string]string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.stored == nil {
		return nil
	}
	return s.stored.Data
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	answer(w, code, &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: strconv.Itoa(code),
	})
}

// hangs gives no answer until the client has gone, which a server notices once it has read the body.
func hangs(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	return true
}

func answer(w http.ResponseWriter, code int, object any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

type providerSpec struct {
	Image string            `json:"image"`
	Tags  map[string]string `json:"tags,omitempty" hotupdatable:"true"`
}

// described is a driver that is not called.
type described struct{ driver machineupdate.Driver }

func (d described) Driver() machineupdate.Driver { return d.driver }

func (described) UpdateMachine(context.Context, *machineupdate.UpdateMachineRequest) error {
	return nil
}

// updater returns an Updater that does not run.
func (s *apiServer) updater() *updater.Updater {
	s.Helper()
	schema, err := hotupdate.SchemaOf[providerSpec]()
	require.NoError(s, err)
	u, err := updater.New(updater.Options{
		Control: s.config, Namespace: namespace, Driver: described{machineupdate.Driver{Schema: schema, Kinds: []string{"vm"}}},
	})
	require.NoError(s, err)
	return u
}

// create tells an Updater of a creation.
func create(t *testing.T, u *updater.Updater, class string, tags map[string]string) {
	t.Helper()
	spec, err := json.Marshal(providerSpec{Tags: tags})
	require.NoError(t, err)
	u.Creating(t.Context(), &metav1.ObjectMeta{Name: "m", Namespace: namespace}, &metav1.ObjectMeta{Name: class}, spec)
}

// outcomes returns how creations ended, by their number.
func outcomes(t *testing.T, u *updater.Updater) map[string]int {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(u)
	families, err := registry.Gather()
	require.NoError(t, err)
	counts := map[string]int{}
	for _, family := range families {
		for _, sample := range family.GetMetric() {
			if family.GetName() == "hot_update_creations_total" {
				counts[sample.GetLabel()[0].GetValue()] = int(sample.GetCounter().GetValue())
			}
		}
	}
	return counts
}
