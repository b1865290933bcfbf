package side

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/kinds"
	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/judge"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// object is the identity and the text of an object of a side. The object is parsed again when it is
// compared, so that thousands of objects need memory only for their texts.
type object struct {
	From            string // for messages
	Place           manifests.Place
	Type            facts.TypeMeta
	Namespace, Name string

	// file is the path in the side: . for a side of one file.
	file string

	document *manifests.Document
	role     role
	// problem says why the object is not compared, with its place in each line; nil if it is. If
	// isTold is set, another object reports the problem.
	problem  error
	isTold   bool
	fatal    error // ends the comparison
	warnings []string
	// isCovered says that a recipe changes the object.
	isCovered bool
	// isNameless says that the names of the object are not in its text.
	isNameless bool
	// unchanged is the plan if the other side has the same text; nil if it is not known, see [Reader.examineOld].
	unchanged *pool.Plan
	// landscape is the object, if the admission of Shoots reads it.
	landscape json.RawMessage
	// covers are the files and folders that a recipe changes.
	covers []string
}

// role says what an object is for a comparison.
type role int

const (
	isManifest  role = iota // it is compared; its identity is known, also if it has a problem
	isUnread                // it may be any object
	isRecipe                // it is a recipe by which kustomize or Helm makes other objects
	isChartFile             // it is a recipe if its chart has objects that are compared
	isOther                 // it is of a kind that is not compared
)

// objects are the objects of a side that are not of other kinds, in the order of the text.
type objects struct {
	path string // of the side
	list []*object
}

// plain returns the objects that do not depend on the place of their text.
func (all *objects) plain() map[manifests.Digest]*object {
	found := map[manifests.Digest]*object{}
	for _, o := range all.list {
		if o.isPlain() {
			found[o.document.Digest()] = o
		}
	}
	return found
}

// examine determines the role of a document in a comparison. It is safe for concurrent use. It
// returns nil for a document without an object.
func (r *Reader) examine(d *manifests.Document) *object {
	if same := r.plain[d.Digest()]; same != nil {
		return same.at(d)
	}
	one, _ := r.examineText(d)
	return one
}

// examineText is examine for a text that was not examined yet. It also returns what was read of a manifest; nil of
// other objects.
func (r *Reader) examineText(d *manifests.Document) (one *object, m *Input) {
	o := d.Object()
	if o == nil {
		return nil, nil
	}
	one = &object{From: o.String(), Place: o.Place, document: d, role: isUnread}
	if problem := concealed(d.Text(), o); problem != nil {
		one.problem = manifests.InFile(one.From, problem)
		one.isNameless = true
		return one, nil
	}
	if o.Err != nil {
		one.problem = manifests.InFile(one.From, o.Err)
		return one, nil
	}
	kind, noKind := r.Schemas.kindOf(o.Tree)
	one.Type = kind
	one.Namespace = o.Tree.At("metadata", "namespace").Text()
	one.Name = o.Tree.At("metadata", "name").Text()
	malformed := facts.CheckVersion(o.Tree, r.Schemas.versionsOf)
	switch {
	case malformed != nil:
		one.problem = located(o, malformed)
	case isEncrypted(o.Tree) && noKind == nil && r.isKnown(kind):
		one.role = isManifest
		one.problem = manifests.InFile(one.From, errSOPS)
	case r.examinePlaceholders(one, o):
	case noKind == nil && r.isKnown(kind):
		one.role = isManifest
		m = r.check(one, o)
	case noKind == nil && r.examineTypo(one, o):
	case kind.Kind == "" && mayHavePools(kind.APIVersion, o.Tree):
		one.problem = located(o, withoutKind())
	case isKustomized(o.File, kind):
		one.role = isRecipe
		one.covers = covered(o)
	case isChart(o.File, kind):
		one.role = isChartFile
		one.covers = foldersOfChart(o.File, o.Tree)
	default:
		one.role = isOther
		if isOfLandscape(kind) {
			one.landscape = o.Tree.JSON()
		}
	}
	return one, m
}

// at returns the same object at the place of a document with the same text.
func (o *object) at(d *manifests.Document) *object {
	copied := *o
	copied.Place = d.Place
	copied.From = d.Place.String()
	copied.document = o.document.At(d.Place)
	copied.unchanged = nil // of the place of the other text
	return &copied
}

// isPlain reports whether an object of the same text at another place is the same.
func (o *object) isPlain() bool {
	hasProblem := o.problem != nil || o.fatal != nil
	return o.role == isManifest && !hasProblem && len(o.warnings) == 0
}

// check reads a manifest with its provider configs, and collects all problems. It returns what it has read; nil if the
// CRD of the object has a problem.
func (r *Reader) check(one *object, o *manifests.Object) *Input {
	if _, err := r.Schemas.custom.Schema(one.Type); err != nil {
		one.problem = err // of the CRD
		return nil
	}
	m, warnings, err := r.manifest(o)
	one.warnings = warnings
	isConfig := m.IsBare() && !r.Schemas.custom.Has(m.Type)
	if isConfig {
		// a provider config has no metadata
		one.Namespace = ""
		one.Name = ""
	}
	if err == nil && isConfig && m.Type.Kind != "WorkerConfig" {
		_, err = r.Schemas.SchemaOf(m.From, m.Type)
	}
	if err == nil && m.IsBare() && len(r.Pools) > 0 {
		one.fatal = ErrNoPools
	}
	if err == nil {
		err = r.Schemas.check(m.From, m.Pools)
	}
	one.problem = err
	return m
}

// load reads an object again, to compare it. It has no problem: see check.
func (r *Reader) load(o *object) (*Input, error) {
	if o == nil {
		return nil, nil //nolint:nilnil // the side does not have it
	}
	object := o.document.Object()
	m, err := r.input(object)
	return m, located(object, err)
}

// input reads a manifest. It does not check provider configs.
func (r *Reader) input(o *manifests.Object) (m *Input, err error) {
	kind, err := r.Schemas.kindOf(o.Tree)
	m = &Input{
		From: o.String(), Place: o.Place, Type: kind, tree: o.Tree,
		Manifest: &facts.Manifest{Pools: []facts.Pool{facts.Bare(o.Tree.JSON())}},
	}
	switch {
	case err != nil:
	case r.Schemas.custom.Has(kind):
		err = r.readCustom(m, o)
	case facts.KindOf(kind) != facts.NoKind:
		m.Manifest, err = facts.ReadIn(o.Tree, r.Options.Landscape.Gardener)
	}
	return m, err
}

// manifest reads a manifest, and returns all of its problems.
func (r *Reader) manifest(o *manifests.Object) (m *Input, warnings []string, err error) {
	m, err = r.input(o)
	unknown := unknownOf(m)
	if facts.KindOf(m.Type) != facts.NoKind {
		warnings = append(unknown.warnings(o), r.checkCloudProfile(m)...)
	}
	warnings = append(warnings, WarningsOf(o, m.repeatedKeys(r.Options))...)
	if err == nil || m.spec != nil {
		err = errors.Join(err, m.checkConfigs(r.Options))
	}
	if err != nil { // all mistakes at once
		unknown.errors = unknown.near
	}
	return m, warnings, located(o, errors.Join(unknown.errors.Err(), err))
}

// checkCloudProfile warns about a Shoot whose CloudProfile is not among those that are given, or may be one of several.
func (r *Reader) checkCloudProfile(m *Input) []string {
	if r.Landscape == nil {
		return nil
	}
	name, fitting := r.Landscape.CloudProfiles.Reference(m.Manifest)
	refers := m.From + ": refers to " + name
	switch {
	case name == "", fitting == 1:
		return nil
	case fitting == 0:
		return []string{refers + ", which the file of --cloudprofile does not have"}
	}
	return []string{refers + ", of which the file of --cloudprofile has " + strconv.Itoa(fitting) +
		"; leave out all others, or write the namespace of the Shoot"}
}

// checkConfigs checks the provider configs. The config of a custom resource is its spec.
func (m *Input) checkConfigs(o judge.Options) error {
	err := pool.Check(m.Pools, m.options(o))
	m.moveToSpec(fault.All(err))
	return err
}

// moveToSpec completes the paths of problems of configs, which are the specs of custom resources.
func (m *Input) moveToSpec(problems fault.List) {
	if !m.hasSpec() {
		return
	}
	for _, problem := range problems {
		problem.Path = strings.TrimSuffix("spec."+problem.Path, ".")
	}
}

// repeatedKeys returns a problem for each list element that repeats the key of an earlier element,
// in the manifest and in its provider configs.
func (m *Input) repeatedKeys(o judge.Options) fault.List {
	all := slices.Clone(m.Repeated)
	for i := range m.Pools {
		repeated := m.options(o).RepeatedKeys(&m.Pools[i])
		m.moveToSpec(repeated)
		all = append(all, repeated...)
	}
	return all
}

// unknownMembers are the members of a manifest that its kind has in no known release of Gardener.
type unknownMembers struct {
	// near have names like those of missing members. The others may be members of a later release.
	near, others fault.List
	// errors are the members in near that probably are misspellings of the member with the pools:
	// the pools would seem to be removed.
	errors fault.List
}

func unknownOf(m *Input) (unknown unknownMembers) {
	for _, found := range m.Unknown {
		problem := &fault.Error{
			Kind: fault.Invalid, Code: fault.UnknownMember, Path: found.Path,
			What: "is not a member of a " + string(m.Kind),
		}
		if found.Meant == "" {
			unknown.others.Add(problem)
			continue
		}
		problem.Hint = "did you mean " + found.Meant + "?"
		unknown.near.Add(problem)
		if holdsPools(found) {
			unknown.errors.Add(problem)
		}
	}
	return unknown
}

// warnings say that the members are not judged.
func (u *unknownMembers) warnings(o *manifests.Object) []string {
	var unjudged fault.List
	for _, problem := range slices.Concat(u.near, u.others) {
		warned := *problem
		warned.What += " that this command knows, and is not judged"
		unjudged.Add(&warned)
	}
	return WarningsOf(o, unjudged)
}

// WarningsOf returns problems of an object as warnings, with their places.
func WarningsOf(o *manifests.Object, problems fault.List) (warnings []string) {
	for _, warning := range placed(o, problems) {
		warnings = append(warnings, warning.Error())
	}
	return warnings
}

// holdsPools reports whether an unknown member probably is a misspelling of the member with the
// pools of a Shoot or Worker.
func holdsPools(found kinds.Unknown) bool {
	above := found.Path[:strings.LastIndexByte("."+found.Path, '.')]
	return slices.Contains([]string{"spec", "spec.provider", "spec.provider.workers", "spec.pools"}, above+found.Meant)
}

// examineTypo reports whether an object is probably a misspelled one, which is then its problem.
func (r *Reader) examineTypo(one *object, o *manifests.Object) bool {
	typo := r.Schemas.typoOf(one.Type, o.Tree)
	if typo != nil {
		one.problem = located(o, typo)
	}
	return typo != nil
}

// typoOf returns the problem of an object that is probably a misspelled Shoot, Worker, provider config
// or custom resource; nil for all others. As an object of another kind it would not be compared, and its
// counterpart would seem to be removed.
func (c *Catalog) typoOf(kind facts.TypeMeta, object *tree.Node) error {
	meant := fieldpath.Nearest(kind.Kind, []string{"Shoot", "Worker", "WorkerConfig"})
	isOfGardener := isGroupOfGardener(kind.APIVersion)
	similar := similarVersion(kind.APIVersion, c.versionsOf(kind.Kind))
	switch {
	case isOfGardener && meant != "" && meant != kind.Kind:
		return unknownKind("kind", "did you mean "+meant+"?")
	case !isOfGardener && similar != "":
		return unknownKind("apiVersion", "did you mean "+similar+"?")
	case isOfGardener && meant != "", hasPools(kind, object):
		return unknownKind("apiVersion",
			"write core.gardener.cloud/v1beta1 for a Shoot, extensions.gardener.cloud/v1alpha1 for a Worker")
	default:
		return nil
	}
}

func unknownKind(path, hint string) error {
	return &fault.Error{Kind: fault.Invalid, Code: "unknown-kind", Path: path, What: "is unknown", Hint: hint}
}

// withoutKind returns the problem of an object without a kind. As an object of another kind it would not be
// compared, and its counterpart would seem to be removed.
func withoutKind() error {
	return &fault.Error{
		Kind: fault.Invalid, Code: "unknown-kind", Path: "kind", What: "is missing",
		Hint: "write Shoot or Worker; kubectl get -o yaml gives each item of a list its kind, and kubectl get --raw " +
			"does not",
	}
}

// mayHavePools reports whether an object without a kind may be a Shoot or a Worker, by its apiVersion or
// its worker pools.
func mayHavePools(apiVersion string, object *tree.Node) bool {
	for _, kind := range []facts.Kind{facts.Shoot, facts.Worker} {
		isVersion := slices.Contains(facts.VersionsOf(string(kind)), apiVersion)
		if isVersion || hasPools(facts.TypeMeta{Kind: string(kind)}, object) {
			return true
		}
	}
	return false
}

func isGroupOfGardener(apiVersion string) bool {
	return strings.HasSuffix(facts.GroupOf(apiVersion), "gardener.cloud")
}

// hasPools reports whether an object with the kind Shoot or Worker has worker pools like
// Gardener's. Other projects also have kinds of these names.
func hasPools(kind facts.TypeMeta, object *tree.Node) bool {
	switch kind.Kind {
	case string(facts.Shoot):
		return object.At("spec", "provider", "workers").Kind() == tree.List
	case string(facts.Worker):
		return object.At("spec", "pools").Kind() == tree.List
	default:
		return false
	}
}

// similarVersion returns the known apiVersion whose group differs in at most two letters; empty if
// there is none. Groups that differ in more letters have different owners.
func similarVersion(apiVersion string, known []string) (similar string) {
	const most = 2
	fewest := len(apiVersion)
	for _, candidate := range known {
		group := facts.GroupOf(candidate)
		own := facts.GroupOf(apiVersion)
		isTooLong := max(len(own), len(group))-min(len(own), len(group)) > most
		if isTooLong || fieldpath.Differences(own, group) > most {
			continue
		}
		if n := fieldpath.Differences(apiVersion, candidate); n < fewest {
			similar = candidate
			fewest = n
		}
	}
	return similar
}
