// Package facts reads what manifests say about the machines of worker pools, and fills in what
// Gardener fills in.
//
// [Read] reads a Worker or a Shoot, [ReadingsOf] returns a pair of pools as Gardener's API server
// stores them. The package owns the meaning of every value that a judgement needs. It must not know
// the effect of a change, which belongs to package judge.
//
// Source: Gardener v1.150: SetDefaults_Shoot, and the admission plugins ShootMutator,
// ShootResourceReservation and ShootNodeLocalDNSEnabledByDefault.
package facts

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Kind is the kind of a manifest.
type Kind string

// The kinds of manifests that hold worker pools.
const (
	NoKind Kind = ""
	Worker Kind = "Worker" // extensions.gardener.cloud/v1alpha1, for the extension
	Shoot  Kind = "Shoot"  // core.gardener.cloud/v1beta1, written by a user
)

var kindsByType = map[TypeMeta]Kind{
	{"extensions.gardener.cloud/v1alpha1", "Worker"}: Worker,
	{"core.gardener.cloud/v1beta1", "Shoot"}:         Shoot,
}

// KindOf returns the kind of a manifest, or [NoKind] for all others.
func KindOf(meta TypeMeta) Kind { return kindsByType[meta] }

// TypeMeta is the type of a manifest or provider config.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// TypeMetaOf returns the type of an object; its fields are empty if they are not text.
func TypeMetaOf(object *tree.Node) TypeMeta {
	return TypeMeta{object.At("apiVersion").Text(), object.At("kind").Text()}
}

// GroupOf returns the API group of an apiVersion.
func GroupOf(apiVersion string) string {
	group, _, _ := strings.Cut(apiVersion, "/")
	return group
}

// Manifest is a Worker or Shoot with its worker pools.
type Manifest struct {
	Kind Kind
	// Namespace and Name stand in the metadata.
	Namespace, Name string
	// UID is the UID in the cluster; empty if the manifest is not from a cluster.
	UID string
	// Tree is the whole Worker or Shoot, and nil for other objects.
	Tree *tree.Node
	// Provider is the type of the provider.
	Provider string
	// Pools are the worker pools, in the order of the manifest. A Shoot may have none.
	Pools []Pool
	// Findings are the members that the kind does not have, and the repeated keys.
	kinds.Findings
	// Doubted are missing members above the pools that are probably misspelled in the manifest.
	Doubted []Doubt
	// Dropped are the paths of the members that are left out because the release of Gardener does not have them, see
	// [ReadIn].
	Dropped []string
}

// Above returns the manifest without its pools.
func (m *Manifest) Above() *tree.Node {
	list := m.poolsAt()
	if m.Tree.At(list...) == nil {
		return m.Tree
	}
	return m.Tree.With(list, nil)
}

// poolsAt returns the path of the list of pools.
func (m *Manifest) poolsAt() []string {
	if m.Kind == Worker {
		return []string{"spec", "pools"}
	}
	return []string{"spec", "provider", "workers"}
}

// ErrOtherKind is the problem of an object that is neither a Worker nor a Shoot. It is a
// [*fault.Error].
var ErrOtherKind = otherKind(
	"write extensions.gardener.cloud/v1alpha1 Worker or core.gardener.cloud/v1beta1 Shoot")

func otherKind(hint string) error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "unknown-kind", Where: "manifest", What: "has another apiVersion and kind",
		Hint: hint,
	}
}

// Read reads a Worker or Shoot manifest, written by a user or returned by a cluster.
//
//   - A value that the API server does not accept and a duplicate member are errors. A member that
//     the kind does not have and an element with a repeated key are listed.
//   - Names are case-sensitive. Null counts as absent.
//   - A Shoot's worker without a version or kubelet configuration inherits it from the Shoot. A kubelet
//     configuration counts as a whole.
//   - A Shoot's worker without a CRI has containerd, Gardener's default.
//   - Rotations of credentials are in a Shoot's status. Without a status they are not known.
//   - Reservations are the sums of kubeReserved and systemReserved.
//
// A Worker does not have the container runtime, node-local DNS and rotations, but has a node-agent
// secret name that covers them.
//
// All problems are joined, each a [*fault.Error]. Pools without a name, and several pools with one
// name, are errors. With an error, only the kind, the tree and the unknown members of the result
// are valid. For an object of another kind, the result is nil.
func Read(object *tree.Node) (*Manifest, error) {
	m := &Manifest{Kind: KindOf(TypeMetaOf(object)), Tree: object}
	if m.Kind == NoKind {
		return nil, ErrOtherKind
	}
	m.readMetadata(object)
	read := m.readShoot
	if m.Kind == Worker {
		read = m.readWorker
	}
	found, err := kinds.Kind(m.Kind).Examine(object)
	m.Findings = found
	err = errors.Join(err, read(), m.checkNames())
	m.doubt()
	return m, err
}

// ReadIn is [Read] for a release of Gardener, if it is known. Members that the release does not have are left out: its
// API server drops or refuses them.
func ReadIn(object *tree.Node, release verdict.Fact[string]) (*Manifest, error) {
	m, err := Read(object)
	in, isKnown := release.Value()
	if err != nil || !isKnown {
		return m, err
	}
	object, dropped := kinds.Kind(m.Kind).InRelease(object, in)
	if len(dropped) == 0 {
		return m, nil
	}
	read, err := Read(object)
	if err == nil {
		read.Findings = m.Findings
		read.Dropped = dropped
	}
	return read, err
}

// ReadCustom reads an object of another kind. Its spec is treated like a bare provider config.
func ReadCustom(object, part *tree.Node) (*Manifest, error) {
	m := &Manifest{Pools: []Pool{Bare(part.JSON())}}
	m.readMetadata(object)
	_, err := kinds.ObjectMeta.Examine(object.At("metadata"))
	return m, Located("", "metadata", err)
}

func (m *Manifest) readMetadata(object *tree.Node) {
	metadata := object.At("metadata")
	m.Namespace = metadata.At("namespace").Text()
	m.Name = metadata.At("name").Text()
	m.UID = metadata.At("uid").Text()
}

// checkNames reports names that several pools have.
func (m *Manifest) checkNames() error {
	seen := map[string]int{}
	problems := fault.List{}
	for _, p := range m.Pools {
		name := p.Worker.Name
		seen[name]++
		if seen[name] != 2 || name == "" {
			continue
		}
		problems.Add(&fault.Error{
			Kind: fault.Invalid, Code: "duplicate-pool-name", Where: "pool " + strconv.Quote(name),
			What: "there are two pools of this name", Hint: "give each pool another name",
		})
	}
	return problems.Err()
}

// Located adds a pool and a path to problems, or only a path in the manifest if the pool is empty.
func Located(pool, path string, err error) error {
	all := fault.All(err)
	if err != nil && len(all) == 0 {
		all.Add(&fault.Error{Kind: fault.Failed, Code: "config-failed", What: "cannot be hashed", Cause: err})
	}
	for i := range all {
		problem := *all[i]
		if problem.Field == "Worker.KubernetesVersion" {
			problem.Field = ""
			problem.Path = fields.Version
		}
		problem.Path = JoinPaths(path, problem.Path)
		switch {
		case pool != "":
			problem.Where = "pool " + strconv.Quote(pool)
		case problem.Path == "":
			problem.Where = "manifest"
		}
		all[i] = &problem
	}
	return all.Err()
}

// LocatedInConfig adds the pool, and the path of its provider config, to problems of the config.
func (p *Pool) LocatedInConfig(err error) error { return Located(p.Worker.Name, p.ConfigPath(), err) }

// JoinPaths joins a path and a path below it.
func JoinPaths(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}

// strategyIn returns the update strategy of a pool.
func strategyIn(at string, from *tree.Node, problems *fault.List) hotupdate.Strategy {
	strategy, err := hotupdate.ParseStrategy(from.At(fields.Strategy).Text())
	if unknown, isKnown := errors.AsType[*fault.Error](err); isKnown {
		unknown.Path = at + "." + fields.Strategy
		unknown.What = "is unknown"
		problems.Add(unknown)
	}
	return strategy
}

func orDefault[T any](value *T, otherwise T) *T { return cmp.Or(value, &otherwise) }

// ProjectOf returns the project of a namespace: a for garden-a, which holds Shoots, and for
// shoot--a--b, which holds a Worker.
func ProjectOf(namespace string) string {
	if rest, ok := strings.CutPrefix(namespace, "shoot--"); ok {
		project, _, _ := strings.Cut(rest, "--")
		return project
	}
	return strings.TrimPrefix(namespace, "garden-")
}
