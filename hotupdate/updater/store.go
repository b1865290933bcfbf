package updater

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
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

// annotationPruning marks the ConfigMap while versions are being pruned. A creation that uses one
// of them then writes the ConfigMap, though the version stands there.
const annotationPruning = "machine.sapcloud.io/hot-update-pruning"

// store is the ConfigMap with the versions of classes with which VMs may have been created. Its
// data have the class as key, and a list of hot parts, the last one last. All processes of a
// namespace write it. Reads go to the API server.
type store struct {
	objects typedcorev1.ConfigMapInterface
	writing sync.Mutex // one write of this process at a time
}

// content is the ConfigMap.
type content struct {
	object *corev1.ConfigMap              // without a resourceVersion if there is none
	hots   map[string][]machineupdate.Hot // by class
}

// read reads the ConfigMap.
func (s *store) read(ctx context.Context) (content, error) {
	found, err := s.objects.Get(ctx, storeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found, err = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: storeName}}, nil
	}
	read := content{object: found, hots: map[string][]machineupdate.Hot{}}
	if err != nil {
		return read, err
	}
	var problems []error
	for class, text := range found.Data {
		var hots []json.RawMessage
		problems = append(problems, json.Unmarshal([]byte(text), &hots))
		for _, hot := range hots {
			read.hots[class] = append(read.hots[class], machineupdate.Hot(hot))
		}
	}
	if err = errors.Join(problems...); err != nil {
		err = &fault.Error{
			Kind: fault.Malformed, Code: "malformed-versions", Where: "ConfigMap " + storeName, What: "cannot be read",
			Hint: "delete it: keys that classes drop before machines under creation are adopted then stay", Cause: err,
		}
	}
	return read, err
}

// add adds the version of a class, and reports whether the ConfigMap has to be written: because the
// version is new, or because it is about to be pruned.
func (c *content) add(class string, version *machineupdate.Prepared) (write bool) {
	known, isMarked := c.hots[class], metav1.HasAnnotation(c.object.ObjectMeta, annotationPruning)
	if c.hots[class], write = version.AddVersion(known); !write && isMarked {
		_, write = version.AddVersion(known[len(known)-1:])
	}
	return write
}

// add stores the version of a class, unless it is stored. It reports whether it has written.
func (s *store) add(ctx context.Context, class string, version *machineupdate.Prepared) (wrote bool, err error) {
	found, err := s.read(ctx)
	if err != nil || !found.add(class, version) {
		return false, err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	err = retry.OnError(retry.DefaultBackoff, isRace, func() error {
		present, err := s.read(ctx)
		if err != nil {
			return err
		}
		if wrote = present.add(class, version); !wrote {
			return nil
		}
		delete(present.object.Annotations, annotationPruning)
		_, err = s.write(ctx, present)
		return err
	})
	return wrote && err == nil, err
}

// isRace reports whether another process has written in between.
func isRace(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// write writes the content on condition that the ConfigMap is as it was read.
func (s *store) write(ctx context.Context, c content) (written *corev1.ConfigMap, err error) {
	length := 0
	c.object.Data = map[string]string{}
	for class, versions := range c.hots {
		texts := make([]string, len(versions))
		for i, version := range versions {
			texts[i] = string(version)
		}
		text := "[" + strings.Join(texts, ",") + "]" // an encoder would escape, and versions are compared as texts
		if len(text) > maxClass {
			return nil, full("class "+class, len(text), maxClass)
		}
		c.object.Data[class] = text
		length += len(class) + len(text)
	}
	if length > maxStore {
		return nil, full("all classes", length, maxStore)
	}
	if c.object.ResourceVersion == "" {
		return s.objects.Create(ctx, c.object, metav1.CreateOptions{})
	}
	return s.objects.Update(ctx, c.object, metav1.UpdateOptions{})
}

func full(where string, length, bound int) error {
	return &fault.Error{
		Kind: fault.Limit, Code: "versions-full", Where: "ConfigMap " + storeName,
		What: fmt.Sprintf("has no room for the versions of %s: %d bytes, more than %d", where, length, bound),
		Hint: "wait until the machines that are being created have joined: their versions are then removed",
	}
}
