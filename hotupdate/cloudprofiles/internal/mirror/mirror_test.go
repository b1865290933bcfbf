package mirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/hotupdate/providerconfig/hotupdate/cloudprofiles/internal/mirror"
)

var (
	gardener   = schema.GroupVersion{Group: "core.gardener.cloud", Version: "v1beta1"}
	profiles   = gardener.WithResource("cloudprofiles")
	namespaced = gardener.WithResource("namespacedcloudprofiles")
)

func profile(namespace, name, region string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"region": region}}}
	o.SetGroupVersionKind(gardener.WithKind("CloudProfile"))
	o.SetNamespace(namespace)
	o.SetName(name)
	if namespace != "" {
		o.SetKind("NamespacedCloudProfile")
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
	return o
}

// log is a log that several goroutines may write and read.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

// Write appends to the log.
func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// fixture is a mirror of a cluster in memory.
type fixture struct {
	*mirror.Mirror

	client *fake.FakeDynamicClient
	file   string
	log    log
	stop   func()
}

// newFixture returns a mirror that has not begun. The file may be in a folder that is missing.
func newFixture(t *testing.T, objects ...runtime.Object) *fixture {
	t.Helper()
	f := &fixture{file: filepath.Join(t.TempDir(), "profiles", "file.json")}
	f.client = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		profiles: "CloudProfileList", namespaced: "NamespacedCloudProfileList",
	}, objects...)
	return f
}

// run makes the folder, and begins.
func (f *fixture) run(t *testing.T) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(f.file), 0o700))
	f.begin(t)
}

func (f *fixture) begin(t *testing.T) {
	t.Helper()
	f.Mirror = mirror.New(mirror.Options{Client: f.client, File: f.file, Log: slog.New(slog.NewJSONHandler(&f.log, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Run(ctx)
	}()
	f.stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(f.stop)
}

func (f *fixture) text() string {
	text, _ := os.ReadFile(f.file)
	return string(text)
}

func (f *fixture) becomes(t *testing.T, want string) {
	t.Helper()
	if !assert.Eventually(t, func() bool { return f.text() == want }, time.Minute, 10*time.Millisecond) {
		assert.Equal(t, want, f.text())
	}
}

const (
	empty = "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n\n]}\n"
	aws   = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile","metadata":{"name":"aws"},"spec":{"region":"eu"}}`
	gcp   = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"CloudProfile","metadata":{"name":"gcp"},"spec":{"region":"eu"}}`
	own   = `{"apiVersion":"core.gardener.cloud/v1beta1","kind":"NamespacedCloudProfile","metadata":{"name":"aws","namespace":"garden-dev"},"spec":{"region":"eu"}}`
)

func list(objects ...string) string {
	return `{"apiVersion":"v1","kind":"List","items":[` + "\n" + strings.Join(objects, ",\n") + "\n]}\n"
}

// TestFileFollows: the file has all objects in their order, and follows what is created, changed and deleted.
func TestFileFollows(t *testing.T) {
	t.Parallel()
	f := newFixture(t, profile("garden-dev", "aws", "eu"), profile("", "gcp", "eu"), profile("", "aws", "eu"))
	f.run(t)
	f.becomes(t, list(aws, gcp, own))
	assert.Eventually(t, f.IsWritten, time.Minute, time.Millisecond)
	cluster := f.client.Resource(profiles)
	require.NoError(t, cluster.Delete(t.Context(), "gcp", metav1.DeleteOptions{}))
	f.becomes(t, list(aws, own))
	_, err := cluster.Update(t.Context(), profile("", "aws", "us"), metav1.UpdateOptions{})
	require.NoError(t, err)
	f.becomes(t, list(strings.Replace(aws, "eu", "us", 1), own))
	_, err = cluster.Create(t.Context(), profile("", "gcp", "eu"), metav1.CreateOptions{})
	require.NoError(t, err)
	f.becomes(t, list(strings.Replace(aws, "eu", "us", 1), gcp, own))
	f.stop() // another look may find the same objects
	assert.NoFileExists(t, f.file+".new")
}

// TestNoObjects: a cluster may have none yet.
func TestNoObjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.run(t)
	f.becomes(t, empty)
	assert.True(t, json.Valid([]byte(f.text())))
}

// TestUnchangedFileIsNotTouched: also after the program was started again, and after a change that the file does not show.
func TestUnchangedFileIsNotTouched(t *testing.T) {
	t.Parallel()
	f := newFixture(t, profile("", "aws", "eu"))
	f.run(t)
	f.becomes(t, list(aws))
	f.stop()
	before, err := os.Stat(f.file)
	require.NoError(t, err)
	f.run(t)
	require.Eventually(t, f.IsWritten, time.Minute, time.Millisecond)
	managed := profile("", "aws", "eu")
	managed.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "another"}})
	_, err = f.client.Resource(profiles).Update(t.Context(), managed, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = f.client.Resource(profiles).Create(t.Context(), profile("", "gcp", "eu"), metav1.CreateOptions{})
	require.NoError(t, err)
	f.becomes(t, list(aws, gcp))
	assert.Equal(t, 2, strings.Count(f.log.String(), `"msg":"written"`), "the first file, and the last: %s", f.log.String())
	after, err := os.Stat(f.file)
	require.NoError(t, err)
	assert.False(t, os.SameFile(before, after), "a changed file is another one")
}

// refuse has the cluster answer with an error to what is about a resource.
func (f *fixture) refuse(resource schema.GroupVersionResource, by func() error) {
	f.client.PrependReactor("list", resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		err := by()
		return err != nil, nil, err
	})
	f.client.PrependWatchReactor(resource.Resource, func(clienttesting.Action) (bool, watch.Interface, error) {
		err := by()
		return err != nil, nil, err
	})
}

// TestNamespacedCloudProfilesAreOptional: an earlier Gardener has none.
func TestNamespacedCloudProfilesAreOptional(t *testing.T) {
	t.Parallel()
	f := newFixture(t, profile("", "aws", "eu"))
	absent := apierrors.NewNotFound(namespaced.GroupResource(), "")
	f.refuse(namespaced, func() error { return absent })
	f.run(t)
	f.becomes(t, list(aws))
	time.Sleep(3 * time.Second) // it is asked for again
	assert.Equal(t, 1, strings.Count(f.log.String(), "the cluster does not serve the resource"), f.log.String())
	assert.NotContains(t, f.log.String(), `"level":"ERROR"`)
}

// TestUnreadableClusters: nothing is written before all objects are known, and the log says how to mend it. Then the
// file is written by itself.
func TestUnreadableClusters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource schema.GroupVersionResource
		err      error
		want     string
	}{
		"another cluster": {profiles, apierrors.NewNotFound(profiles.GroupResource(), ""), "name the cluster with Shoots"},
		"no rights": {
			profiles, apierrors.NewForbidden(profiles.GroupResource(), "", errors.New("no")), "grant get, list and watch",
		},
		"rights to one only": {
			namespaced, apierrors.NewForbidden(namespaced.GroupResource(), "", errors.New("no")), "grant get, list and watch",
		},
		"an expired token": {profiles, apierrors.NewUnauthorized("no"), "renew the credentials"},
		"no answer":        {namespaced, apierrors.NewServiceUnavailable("no"), "the API server must answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, profile("", "aws", "eu"))
			var mutex sync.Mutex
			err := test.err
			f.refuse(test.resource, func() error {
				mutex.Lock()
				defer mutex.Unlock()
				return err
			})
			f.run(t)
			hint := func() bool { return strings.Contains(f.log.String(), test.want) }
			require.Eventually(t, hint, time.Minute, time.Millisecond, test.want)
			assert.Contains(t, f.log.String(), test.resource.GroupResource().String())
			assert.False(t, f.IsWritten())
			assert.NoFileExists(t, f.file)
			mutex.Lock()
			err = nil
			mutex.Unlock()
			f.becomes(t, list(aws))
		})
	}
}

// TestUnwritableFile: the log says so once for each attempt, and the file is written when it can be.
func TestUnwritableFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, profile("", "aws", "eu"))
	f.begin(t)
	failed := func() bool { return strings.Contains(f.log.String(), "the file cannot be written") }
	require.Eventually(t, failed, time.Minute, time.Millisecond)
	assert.False(t, f.IsWritten())
	require.NoError(t, os.MkdirAll(filepath.Dir(f.file), 0o700))
	f.becomes(t, list(aws))
	assert.Less(t, strings.Count(f.log.String(), "the file cannot be written"), 4, f.log.String())
}

// TestReadersSeeWholeFiles: whoever reads while the file is replaced reads one of the documents.
func TestReadersSeeWholeFiles(t *testing.T) {
	t.Parallel()
	const last = 30
	f := newFixture(t, profile("", "aws", "r0"))
	f.run(t)
	require.Eventually(t, f.IsWritten, time.Minute, time.Millisecond)
	seen := make(chan int)
	go func() {
		defer close(seen)
		regions := map[string]bool{}
		for deadline := time.Now().Add(time.Minute); !regions[fmt.Sprint("r", last)] && time.Now().Before(deadline); {
			var document struct {
				Items []struct{ Spec struct{ Region string } }
			}
			text := f.text()
			if !assert.NoError(t, json.Unmarshal([]byte(text), &document), text) || !assert.Len(t, document.Items, 1, text) {
				return
			}
			regions[document.Items[0].Spec.Region] = true
		}
		seen <- len(regions)
	}()
	for i := range last {
		changed := profile("", "aws", fmt.Sprint("r", i+1))
		_, err := f.client.Resource(profiles).Update(t.Context(), changed, metav1.UpdateOptions{})
		require.NoError(t, err)
		time.Sleep(50 * time.Millisecond)
	}
	assert.Greater(t, <-seen, 3)
}
