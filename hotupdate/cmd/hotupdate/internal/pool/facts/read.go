package facts

import (
	"errors"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Containerd is the container runtime that Gardener fills in.
const Containerd = "containerd"

func (m *Manifest) readWorker() error {
	spec := m.Tree.At("spec")
	m.Provider = spec.At("type").Text()
	var problems []error
	for _, from := range spec.At("pools").Elements() {
		p, err := m.newPool("spec.pools", from, from.At("kubeletConfig"))
		problems = append(problems, err)
		p.Worker.MachineType = from.At("machineType").Text()
		p.Worker.Image = imageIn(from.At("machineImage"))
		p.Worker.KubernetesVersion = from.At("kubernetesVersion").Text()
		p.NodeAgentSecretName = textIn(from.At(fields.SecretName))
		p.Architecture = textIn(from.At("architecture"))
		p.Infrastructure = jsonIn(spec.At("infrastructureProviderStatus"))
		p.Status = jsonIn(m.Tree.At("status", "providerStatus"))
		p.Unknown = append(p.Unknown, ContainerRuntime, NodeLocalDNS, Credentials)
		m.Pools = append(m.Pools, p)
	}
	return errors.Join(problems...)
}

// jsonIn returns a value in JSON, and nil if it is absent.
func jsonIn(n *tree.Node) []byte {
	if n.Kind() == tree.Null {
		return nil
	}
	return n.JSON()
}

func (m *Manifest) readShoot() error {
	spec := m.Tree.At("spec")
	m.Provider = spec.At("provider", "type").Text()
	cluster := m.cluster()
	var problems []error
	for _, from := range spec.At("provider", "workers").Elements() {
		own := from.At("kubernetes", "kubelet")
		effective := own
		if own == nil {
			effective = cluster.Kubelet
		}
		p, err := m.newPool("spec.provider.workers", from, effective)
		problems = append(problems, err)
		p.Cluster = cluster
		p.HasOwnKubelet = own != nil
		p.Architecture = textIn(from.At("machine", "architecture"))
		m.readTriggers(&p)
		m.Pools = append(m.Pools, p)
	}
	return errors.Join(problems...)
}

// cluster returns the facts of a Shoot about all its pools.
func (m *Manifest) cluster() Cluster {
	spec := m.Tree.At("spec")
	status := m.Tree.At("status")
	annotations := m.Tree.At("metadata", "annotations")
	pending := status.At("inPlaceUpdates", "pendingWorkerUpdates")
	hibernated := spec.At("hibernation", "enabled").IsTrue()
	return Cluster{
		Version: spec.At("kubernetes", "version").Text(), Hibernated: hibernated,
		Hibernating:  hibernated && !m.isHibernated(),
		HasSSHAccess: m.hasSSHAccess(),
		Pending: slices.Concat(
			textsIn(pending.At("autoInPlaceUpdate")), textsIn(pending.At("manualInPlaceUpdate")),
		),
		Operations: append(operationsIn(annotations, operationNow), operationsIn(annotations, operationLater)...),
		Rotates:    rotating(status),
		Kubelet:    spec.At("kubernetes", "kubelet"), Infrastructure: spec.At("provider", "infrastructureConfig"),
		Labels: m.Tree.At("metadata", "labels"), Annotations: annotations,
		isReadBack: m.IsReadBack(), spec: spec, components: spec.At("systemComponents"),
		dns:            spec.At("systemComponents", "nodeLocalDNS"),
		removesDNS:     m.Tree.Removes("spec", "systemComponents", "nodeLocalDNS", "enabled"),
		removesVersion: m.Tree.Removes("spec", "kubernetes", "version"),
	}
}

// IsReadBack reports whether the manifest was read from a cluster, whose API server fills in what a
// user leaves out.
func (m *Manifest) IsReadBack() bool {
	metadata := m.Tree.At("metadata")
	isStored := m.UID != "" || metadata.At("resourceVersion") != nil
	return isStored || metadata.At("managedFields").Len() > 0 || m.Tree.At("status").Len() > 0
}

// The annotations that request operations: for now, and for the next maintenance window.
const (
	operationNow   = "gardener.cloud/operation"
	operationLater = "maintenance.gardener.cloud/operation"
)

// operationsIn returns the operations in an annotation of a Shoot. Gardener ignores blanks around each:
// GetShootGardenerOperations.
func operationsIn(annotations *tree.Node, annotation string) (operations []Operation) {
	isSeparator := func(r rune) bool { return r == ';' }
	for _, name := range strings.FieldsFunc(annotations.At(annotation).Text(), isSeparator) {
		operations = append(operations, Operation{Name: strings.TrimSpace(name), Annotation: annotation})
	}
	return operations
}

// The rotations of credentials that names cover.
const (
	authorities = "certificateAuthorities"
	accountKey  = "serviceAccountKey"
)

// rotating returns the pools that have to follow a rotation of credentials, and nil if no phase of a
// rotation is known.
func rotating(status *tree.Node) map[string]bool {
	var names map[string]bool
	for _, rotation := range []string{authorities, accountKey} {
		of := status.At("credentials", "rotation", rotation)
		if of.At("phase").Text() == "" {
			continue
		}
		if names == nil {
			names = map[string]bool{}
		}
		for _, p := range of.At("pendingWorkersRollouts").Elements() {
			names[p.At("name").Text()] = true
		}
	}
	return names
}

// readTriggers reads the fields of a Shoot that the names of its pools cover.
func (m *Manifest) readTriggers(p *Pool) {
	spec := m.Tree.At("spec")
	w := &p.Worker
	w.KubernetesVersion = p.Node.At("kubernetes", "version").Text()
	p.ownsMinor = w.KubernetesVersion != ""
	if !p.ownsMinor {
		w.KubernetesVersion = p.Cluster.Version
	}
	w.MachineType = p.Node.At("machine", "type").Text()
	w.Image = imageIn(p.Node.At("machine", "image"))
	w.CRI = orDefault(textIn(p.Node.At("cri", "name")), Containerd)
	rotation := m.Tree.At("status", "credentials", "rotation")
	w.CARotation = rotationIn(rotation.At(authorities))
	w.ServiceAccountKeyRotation = rotationIn(rotation.At(accountKey))
	w.NodeLocalDNS = p.Cluster.dns.At("enabled").IsTrue()
	proxy := spec.At("kubernetes", "kubeProxy")
	if enabled := proxy.At("enabled"); enabled == nil || enabled.IsTrue() {
		w.KubeProxyMode = proxy.At("mode").Text()
	}
	if m.Tree.At("status").Len() == 0 {
		p.Unknown = append(p.Unknown, Credentials)
	}
}

// newPool returns the next pool of a list, with the fields that pools have in both kinds.
func (m *Manifest) newPool(list string, from, kubelet *tree.Node) (Pool, error) {
	at := fieldpath.At(list, len(m.Pools))
	problems := fault.List{}
	name := from.At("name").Text()
	strategy := strategyIn(at, from, &problems)
	if name == "" {
		problems.Add(&fault.Error{
			Kind: fault.Invalid, Code: "no-pool-name", Path: at, What: "has no name",
			Hint: "set the name of the worker pool",
		})
	}
	minimum := from.At(fields.Minimum)
	maximum := from.At(fields.Maximum)
	for _, field := range []string{fields.Minimum, fields.Maximum} {
		checkWhole(at+"."+field, from.At(field), &problems)
	}
	p := Pool{
		Kind: m.Kind, Node: from, Provider: m.Provider, Config: ConfigAt(from.At(fields.Config)),
		Zones: textsIn(from.At(fields.Zones)), Declared: strategy, MaxSurge: shareIn(from.At("maxSurge")),
		Machines: Machines{wholeIn(minimum), wholeIn(maximum), minimum != nil || maximum != nil},
		Worker:   hash.Worker{Name: name, UpdateStrategy: strategy, Kubelet: kubeletIn(kubelet)},
		Deletion: m.Tree.At("metadata", "deletionTimestamp").Text(),
	}
	for _, v := range from.At(fields.DataVolumes).Elements() {
		p.DataVolumes = append(p.DataVolumes, volumeIn(v))
	}
	if v := from.At(fields.Volume); v != nil {
		volume := volumeIn(v)
		p.Worker.Volume = &hash.Volume{Size: volume.Size, Type: volume.Type}
		p.Encrypted = volume.Encrypted
	}
	return p, problems.Err()
}
