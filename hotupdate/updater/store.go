package updater

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// storeName is the name of the ConfigMap.
const storeName = "machine-controller-hot-update-versions"

// storeTimeout bounds how long a creation waits.
const storeTimeout = 5 * time.Second

// The greatest lengths in bytes: of the versions of one class, so that a record has room for them,
// and of all. An object of the API server may have 1 MiB.
const (
	maxClass = 96 << 10
	maxStore = 768 << 10
)

// store is the ConfigMap with the versions of classes with which VMs may have been created. Its
// data have the class as key, and a list of hot parts, the last one last. All processes of a
// namespace write it. Reads go to the API server.
type store struct {
	objects dynamic.ResourceInterface

	writing sync.Mutex // one write at a time
	mutex   sync.Mutex
	next    *load
	running sync.Mutex

	prunable bool // there may be something to prune
}

// load is a read that several callers share. It begins after all of them have asked.
type load struct {
	done    chan struct{}
	content content
	err     error
}

// content is the ConfigMap; without an object if there is none.
type content struct {
	object *object
	hots   map[string][]machineupdate.Hot // by class
	marked bool                           // somebody is about to prune it
}

// annotationPruning marks the ConfigMap while versions are being pruned. A creation that uses one
// of them then writes the ConfigMap, though the version stands there.
const annotationPruning = "machine.sapcloud.io/hot-update-pruning"

func newStore(objects dynamic.ResourceInterface) *store {
	return &store{objects: objects, prunable: true}
}

// read returns the versions of a class.
func (s *store) read(ctx context.Context, class string) ([]machineupdate.Hot, error) {
	found, err := s.load(ctx)
	return found.hots[class], err
}

// load reads the ConfigMap. Callers that ask while a read is under way share the next one.
func (s *store) load(ctx context.Context) (content, error) {
	s.mutex.Lock()
	mine := s.next
	if mine == nil {
		mine = &load{done: make(chan struct{})}
		s.next = mine
		go s.run(mine)
	}
	s.mutex.Unlock()
	select {
	case <-mine.done:
		return mine.content, mine.err
	case <-ctx.Done():
		return content{}, ctx.Err()
	}
}

// run reads for all that have asked until it begins.
func (s *store) run(l *load) {
	s.running.Lock()
	defer s.running.Unlock()
	s.mutex.Lock()
	s.next = nil
	s.mutex.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	l.content, l.err = s.get(ctx)
	close(l.done)
}

func (s *store) get(ctx context.Context) (content, error) {
	found, err := s.objects.Get(ctx, storeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return content{}, nil
	}
	if err != nil {
		return content{}, err
	}
	_, marked := found.GetAnnotations()[annotationPruning]
	read := content{object: found, hots: map[string][]machineupdate.Hot{}, marked: marked}
	data, _, err := unstructured.NestedStringMap(found.Object, "data")
	var problems []error
	for class, text := range data {
		var hots []json.RawMessage
		problems = append(problems, json.Unmarshal([]byte(text), &hots))
		for _, hot := range hots {
			read.hots[class] = append(read.hots[class], machineupdate.Hot(hot))
		}
	}
	if err = errors.Join(append(problems, err)...); err != nil {
		err = &fault.Error{
			Kind: fault.Malformed, Code: "malformed-versions", Where: "ConfigMap " + storeName, What: "cannot be read",
			Hint: "delete it: keys that classes drop before machines under creation are adopted then stay", Cause: err,
		}
	}
	return read, err
}

// with returns the versions of a class with another one, and whether they have to be written:
// because it is new, or because it is about to be pruned.
func (c *content) with(class string, version *machineupdate.Prepared) (all []machineupdate.Hot, write bool) {
	known := c.hots[class]
	all, isNew := version.AddVersion(known)
	if isNew || !c.marked {
		return all, isNew
	}
	_, isEarlier := version.AddVersion(known[len(known)-1:])
	return all, isEarlier
}

// add stores the version of a class, unless it is stored. It reports whether it has written.
func (s *store) add(ctx context.Context, class string, version *machineupdate.Prepared) (wrote bool, err error) {
	found, err := s.load(ctx)
	if err != nil {
		return false, err
	}
	if _, write := found.with(class, version); !write {
		return false, nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	err = retry.OnError(retry.DefaultBackoff, isRace, func() error {
		present, err := s.get(ctx)
		if err != nil {
			return err
		}
		all, write := present.with(class, version)
		if wrote = write; !write {
			return nil
		}
		s.setPrunable(len(all) > 1)
		hots := map[string][]machineupdate.Hot{class: all}
		for other, versions := range present.hots {
			if other != class {
				hots[other] = versions
			}
		}
		return s.write(ctx, content{present.object, hots, false})
	})
	return wrote && err == nil, err
}

// isRace reports whether another process has written in between.
func isRace(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// write writes the content on condition that the ConfigMap is as it was read.
func (s *store) write(ctx context.Context, c content) error {
	data, err := dataOfAll(c.hots)
	if err != nil {
		return err
	}
	changed := c.object.DeepCopy()
	if changed == nil {
		changed = &object{}
		changed.SetAPIVersion("v1")
		changed.SetKind("ConfigMap")
		changed.SetName(storeName)
	}
	annotations := changed.GetAnnotations()
	if delete(annotations, annotationPruning); c.marked {
		annotations = maps.Clone(annotations)
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotationPruning] = "true"
	}
	changed.SetAnnotations(annotations)
	changed.Object["data"] = data
	if c.object == nil {
		_, err = s.objects.Create(ctx, changed, metav1.CreateOptions{})
	} else {
		_, err = s.objects.Update(ctx, changed, metav1.UpdateOptions{})
	}
	return err
}

// dataOfAll returns the data of the ConfigMap, unless they are too long.
func dataOfAll(hots map[string][]machineupdate.Hot) (map[string]any, error) {
	data, length := map[string]any{}, 0
	for class, versions := range hots {
		texts := make([]string, len(versions))
		for i, version := range versions {
			texts[i] = string(version)
		}
		text := "[" + strings.Join(texts, ",") + "]"
		if len(text) > maxClass {
			return nil, full("class "+class, len(text), maxClass)
		}
		data[class] = text
		length += len(class) + len(text)
	}
	if length > maxStore {
		return nil, full("all classes", length, maxStore)
	}
	return data, nil
}

func full(where string, length, bound int) error {
	return &fault.Error{
		Kind: fault.Limit, Code: "versions-full", Where: "ConfigMap " + storeName,
		What: fmt.Sprintf("has no room for the versions of %s: %d bytes, more than %d", where, length, bound),
		Hint: "wait until the machines that are being created have joined: their versions are then removed",
	}
}

func (s *store) setPrunable(is bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.prunable = s.prunable || is
}
