package updater

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/hotupdate/machineupdate"
)

// storeName is the name of the ConfigMap.
const storeName = "machine-controller-hot-update-versions"

// The greatest lengths in bytes. They limit additions; a person or another release may have written
// more.
const (
	maxClass  = 96 << 10  // of the versions of one class, so that a record has room for them
	maxStore  = 768 << 10 // of all classes, each of which counts at most maxClass
	maxObject = 1 << 20   // of the data of a ConfigMap: the API server refuses more
)

// annotationPruning marks the ConfigMap while versions are being pruned. A creation that finds the
// mark writes the ConfigMap, also if its version stands there.
const annotationPruning = "machine.sapcloud.io/hot-update-pruning"

// annotationHeld has the names of classes, separated by commas, whose versions are all stored
// elsewhere: in the records of machines, or as versions of a class that has inherited them.
// Removing versions of other classes loses them.
const annotationHeld = "machine.sapcloud.io/hot-update-held"

// store is the ConfigMap with the versions of classes with which VMs may have been created. Its
// data have the class as key, and a list of hot parts, the last one last. All processes of a
// namespace write it. Reads go to the API server.
type store struct {
	objects   typedcorev1.ConfigMapInterface // for adoptions and pruning
	additions additions
}

// content is the ConfigMap.
type content struct {
	object *corev1.ConfigMap // without a resourceVersion if there is none
	read   map[string]string // its data as they were read
}

// readStore reads the ConfigMap.
func readStore(ctx context.Context, from typedcorev1.ConfigMapInterface) (content, error) {
	found, err := from.Get(ctx, storeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: storeName}}
		err = nil
	}
	if err != nil {
		return content{}, err
	}
	if found.Data == nil {
		found.Data = map[string]string{}
	}
	return content{object: found, read: maps.Clone(found.Data)}, nil
}

// versions returns the versions of a class. Malformed ones concern only their class.
func (c *content) versions(class string) ([]machineupdate.HotSpec, error) {
	text, ok := c.object.Data[class]
	if !ok {
		return nil, nil
	}
	var hots []json.RawMessage
	if err := json.Unmarshal([]byte(text), &hots); err != nil {
		return nil, &fault.Error{
			Kind: fault.Invalid, Code: "malformed-versions", Where: "ConfigMap " + storeName, Path: class,
			What: "cannot be read as a list of hot parts", Hint: "remove this entry: " + lostVersions, Cause: err,
		}
	}
	versions := make([]machineupdate.HotSpec, len(hots))
	for i, hot := range hots {
		versions[i] = machineupdate.HotSpec(hot)
	}
	return versions, nil
}

// held returns the classes whose versions are also stored elsewhere.
func (c *content) held() sets.Set[string] {
	all := sets.New(strings.Split(c.object.Annotations[annotationHeld], ",")...)
	return all.Delete("")
}

// hold notes that the versions of a class are also stored elsewhere, and reports whether that was
// not noted before.
func (c *content) hold(class string) (isNew bool) {
	all := c.held()
	isNew = !all.Has(class)
	c.noteHeld(all.Insert(class))
	return isNew
}

// unhold notes that a class has a version that is stored nowhere else.
func (c *content) unhold(class string) { c.noteHeld(c.held().Delete(class)) }

func (c *content) noteHeld(classes sets.Set[string]) {
	if len(classes) == 0 {
		delete(c.object.Annotations, annotationHeld)
		return
	}
	metav1.SetMetaDataAnnotation(&c.object.ObjectMeta, annotationHeld, strings.Join(sets.List(classes), ","))
}

// lostVersions says what happens to machines whose versions are removed by hand.
const lostVersions = "what its class drops before a machine is adopted then stays on the machine"

// textOf returns the entry of a class. It does not use an encoder, which would escape characters:
// versions are compared as texts.
func textOf(versions []machineupdate.HotSpec) string {
	texts := make([]string, len(versions))
	for i, version := range versions {
		texts[i] = string(version)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// replace replaces the entry of a class, unless it makes the data grow beyond a bound.
func (c *content) replace(class, text string) error {
	next := maps.Clone(c.object.Data)
	next[class] = text
	length, counted := lengthOf(next)
	before, countedBefore := lengthOf(c.read)
	switch {
	case len(text) > max(maxClass, len(c.read[class])):
		return full("class "+class, len(text), maxClass)
	case counted > max(maxStore, countedBefore):
		return full("all classes", counted, maxStore)
	case length > max(maxObject, before):
		return full("all classes", length, maxObject)
	}
	c.object.Data = next
	return nil
}

// lengthOf returns the length of data, and how much of it counts: a class that exceeds its bound
// leaves room for the others.
func lengthOf(data map[string]string) (length, counted int) {
	for class, text := range data {
		length += len(class) + len(text)
		counted += len(class) + min(len(text), maxClass)
	}
	return length, counted
}

func full(where string, length, bound int) error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "versions-full", Where: "ConfigMap " + storeName,
		What: fmt.Sprintf("has no room for the versions of %s: %d bytes, more than %d", where, length, bound),
		Hint: "wait until the machines that are being created have joined: their versions are then removed; " +
			"or remove the longest entry: " + lostVersions,
	}
}

// add adds the version of a class, and reports whether the ConfigMap must be written: because the
// version is new, because versions are being pruned, or because nothing else holds the version any more.
func (c *content) add(class string, version *machineupdate.PreparedClass) (write bool, err error) {
	known, err := c.versions(class)
	if err != nil {
		return false, err
	}
	all, isNew := version.AddVersion(known)
	if isNew {
		if err = c.replace(class, textOf(all)); err != nil {
			return false, err
		}
	}
	wasHeld := c.held().Has(class)
	c.unhold(class) // the machine that is about to be created has no record
	isMarked := metav1.HasAnnotation(c.object.ObjectMeta, annotationPruning)
	delete(c.object.Annotations, annotationPruning)
	return isNew || isMarked || wasHeld, nil
}

// inherit gives a class the versions of another class, before its own ones, and reports whether that
// changed anything.
func (c *content) inherit(heir, class string) (isChanged bool, err error) {
	former, err := c.versions(class)
	if err != nil {
		return false, err
	}
	own, err := c.versions(heir)
	if err != nil {
		return false, err
	}
	if len(former) == 0 {
		return false, nil
	}
	isOwn := func(version machineupdate.HotSpec) bool { return slices.Contains(own, version) }
	former = slices.DeleteFunc(former, isOwn)
	if len(former) > 0 {
		if err = c.replace(heir, textOf(append(former, own...))); err != nil {
			return false, err
		}
		c.unhold(heir)
	}
	isNews := c.hold(class)
	return isNews || len(former) > 0, nil
}

// version is a version of a class.
type version = machineupdate.HotSpec

// remove removes the entry of a class, and returns its versions, as far as they can be read.
func (c *content) remove(class string) (removed []version) {
	removed, _ = c.versions(class)
	delete(c.object.Data, class)
	c.unhold(class)
	return removed
}

// keepLast removes the versions of a class but the last one, and returns them.
func (c *content) keepLast(class string, versions []version) (removed []version) {
	last := len(versions) - 1
	c.object.Data[class] = textOf(versions[last:])
	return versions[:last]
}

// isRace reports whether another process has written in between.
func isRace(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// write writes the content on condition that the ConfigMap is as it was read.
func (c *content) write(ctx context.Context, to typedcorev1.ConfigMapInterface) (written *corev1.ConfigMap, err error) {
	if c.object.ResourceVersion == "" {
		return to.Create(ctx, c.object, metav1.CreateOptions{})
	}
	return to.Update(ctx, c.object, metav1.UpdateOptions{})
}
