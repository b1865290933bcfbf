package mirror

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

var gardener = schema.GroupVersion{Group: "core.gardener.cloud", Version: "v1beta1"}

// resource is what the file has objects of.
type resource struct {
	schema.GroupVersionResource

	// isOptional says that a cluster need not serve the resource.
	isOptional bool
}

func resources() []resource {
	return []resource{
		{gardener.WithResource("cloudprofiles"), false},
		{gardener.WithResource("namespacedcloudprofiles"), true},
	}
}

// The times between two looks for changes, and after a failed write.
const (
	writeEvery = 200 * time.Millisecond
	retryAfter = 5 * time.Second
)

// Options are what a mirror is made of.
type Options struct {
	Client dynamic.Interface
	File   string
	Log    *slog.Logger
}

// Mirror keeps the file. It is safe for concurrent use.
type Mirror struct {
	log     *slog.Logger
	file    *file
	watched []*watched

	isChanged, isWritten atomic.Bool
}

// New returns a mirror that has not begun.
func New(o Options) *Mirror {
	m := &Mirror{log: o.Log, file: openFile(o.File)}
	for _, r := range resources() {
		m.watched = append(m.watched, m.watch(o.Client, r))
	}
	return m
}

// IsWritten reports whether all objects were listed and stand in the file.
func (m *Mirror) IsWritten() bool { return m.isWritten.Load() }

// Run keeps the file until the context ends. Problems are logged, and tried again.
func (m *Mirror) Run(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	for _, w := range m.watched {
		group.Go(func() { w.informer.RunWithContext(ctx) })
	}
	ticker := time.NewTicker(writeEvery)
	defer ticker.Stop()
	var notBefore time.Time
	for {
		var now time.Time
		select {
		case <-ctx.Done():
			return
		case now = <-ticker.C:
		}
		if now.Before(notBefore) || !m.isDue() {
			continue
		}
		if err := m.write(); err != nil {
			m.isChanged.Store(true)
			notBefore = now.Add(retryAfter)
			hint := "the folder must be writable and have room; this is tried again"
			m.log.Error("the file cannot be written; the former one stays", problem(&Error{m.file.name, err, hint})...)
		}
	}
}

// isDue reports whether all objects are listed, and the file may differ from them.
func (m *Mirror) isDue() bool {
	for _, w := range m.watched {
		if !w.informer.HasSynced() && !w.isAbsent.Load() {
			return false
		}
	}
	return m.isChanged.Swap(false) || !m.IsWritten()
}

// write makes the objects the content of the file.
func (m *Mirror) write() error {
	var objects []*unstructured.Unstructured
	for _, w := range m.watched {
		for _, object := range w.informer.GetStore().List() {
			if o, isObject := object.(*unstructured.Unstructured); isObject {
				objects = append(objects, o)
			}
		}
	}
	isChanged, err := m.file.replace(objects)
	if err != nil {
		return err
	}
	if isChanged {
		m.log.Info("written", "file", m.file.name, "objects", len(objects))
	}
	m.isWritten.Store(true)
	return nil
}

// watched is a resource with the objects that a cluster has of it.
type watched struct {
	resource

	informer cache.SharedIndexInformer
	// isAbsent says that the cluster does not serve the resource, which is optional.
	isAbsent atomic.Bool
}

func (m *Mirror) watch(client dynamic.Interface, r resource) *watched {
	informer := dynamicinformer.NewFilteredDynamicInformer(
		client, r.GroupVersionResource, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
	w := &watched{resource: r, informer: informer}
	changed := func(any) { m.isChanged.Store(true) }
	// Errors are those of informers that have begun to run.
	_ = informer.SetTransform(withoutManagedFields)
	_ = informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if apierrors.IsNotFound(err) && r.isOptional {
			m.setAbsent(w)
			return
		}
		m.logWatch(w, err)
	})
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, updated any) { changed(updated) }, DeleteFunc: changed,
	})
	return w
}

func (m *Mirror) setAbsent(w *watched) {
	if !w.isAbsent.Swap(true) {
		m.log.Info("the cluster does not serve the resource, so it has none", "resource", w.GroupResource().String())
	}
}

// logWatch logs why a watch has ended. That an API server ends one after some minutes, or has forgotten its
// beginning, is no problem.
func (m *Mirror) logWatch(w *watched, err error) {
	isUsual := errors.Is(err, io.EOF) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
	if isUsual {
		return
	}
	m.log.Error("the objects cannot be watched; the file stays", problem(ofResource(w.GroupVersionResource, err))...)
}

// problem is an error as attributes of a log.
func problem(e *Error) []any {
	return []any{"at", e.Where, "error", e.Err.Error(), "hint", e.Hint}
}

// withoutManagedFields drops what is of no use to the readers of the file, and half of an object.
func withoutManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil { // else it is no object, such as a tombstone
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
