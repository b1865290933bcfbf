package hash

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/kubeminor"
	"github.com/hotupdate/providerconfig/internal/plaintext"
)

// Era is one way to turn a worker pool into additional data, with the first Kubernetes minor for
// which it is in force. P is the adopter's type of a pool, such as Gardener's WorkerPool. It holds
// everything that the functions need besides the raw provider config.
type Era[P any] struct {
	// Name names the era for people, in explanations and errors.
	Name string
	// From is the first minor of the era, as MAJOR.MINOR. It is empty in the first era only.
	From string
	// Data returns the additional data of a pool. The raw config is the one passed to
	// AdditionalData: nil if the pool has none. The function must depend only on its arguments, and
	// must not change them.
	Data func(raw []byte, pool P) ([]string, error)
}

// Eras are the ways to hash the worker pools of an extension. Each is in force from a Kubernetes minor
// on. Extensions have always hashed pools that roll and pools that are updated in place differently, so
// each kind has a list of its own.
//
// A changed hash replaces every machine of a pool, and so does an update to another Kubernetes
// minor. So the way of hashing can change with the minor at no cost. Only the pool's Kubernetes
// version decides which era is in force. Nothing is stored, so nothing can be lost by a restart, a
// control-plane migration, a rollback, or two releases side by side.
//
// To keep the machines of a fleet:
//  1. Turn the functions that an extension has today into eras, unchanged, for the minors for which
//     they are used today.
//  2. A new way of hashing, a new field in the hash, a corrected defect, or a changed
//     [hotupdate.Schema] becomes a new last era, from a minor that no release supports yet. So
//     every release that sees a pool of that minor knows the era. A release may support the minor
//     only if the release to which it can be rolled back already knows the era; do not skip that
//     release.
//  3. A released era keeps its From and its function as long as pools of its minors exist. So does
//     its Schema, stored as JSON. To retire an era, drop its minors first, and the era one release
//     later.
//  4. The Schema of a live era may gain fields that the type did not have before: no name changes.
//     If the Schema does not gain them, a pool that sets such a field is refused until its next
//     minor, with the code unknown-member.
//  5. In an era of raw bytes, decode the config strictly before hashing it. Strip a new hot field
//     from the very release that introduces it: later, a pool may have set it.
//  6. Give a version to a pool without one only while its minor is in the first era.
//
// A function that hashes raw bytes has to strip the hot members first, see
// [hotupdate.Schema.StripRaw]. It also decides about pools without any config: today they
// contribute no string, but their TypeMeta once they have a hot tag, see [OnlyTypeMeta]. Under
// [CanonicalData] they contribute the sum of {} in both cases.
//
// Eras are immutable and safe for concurrent use if the functions are. The zero value and nil have
// no eras: their methods return an error.
type Eras[P any] struct{ rolling, inPlace list[P] }

type list[P any] []era[P]

type era[P any] struct {
	Era[P]

	from kubeminor.Minor
}

// NewEras checks the eras of pools that roll and of pools that are updated in place, and returns them.
// [InPlaceEras] are the latter for most extensions. Each list is in the order of its minors, the
// oldest first:
//
//   - There is at least one era.
//   - Each has a distinct name and a function. [CanonicalData] returns none if it was given a nil
//     Schema or function.
//   - The first has no From: it also holds for all older pools and for pools without a version.
//   - Each later From is a minor, written exactly as MAJOR.MINOR, above the previous one.
//
// All mistakes are returned, joined; each is a [*fault.Error].
func NewEras[P any](rolling, inPlace []Era[P]) (*Eras[P], error) {
	ofRolling, rollingErr := checked(rolling)
	if rollingErr != nil {
		rollingErr = fmt.Errorf("pools that roll: %w", rollingErr)
	}
	ofInPlace, inPlaceErr := checked(inPlace)
	if inPlaceErr != nil {
		inPlaceErr = fmt.Errorf("pools that are updated in place: %w", inPlaceErr)
	}
	if err := errors.Join(rollingErr, inPlaceErr); err != nil {
		return nil, err
	}
	return &Eras[P]{ofRolling, ofInPlace}, nil
}

// checked returns the eras of one kind of pools, with their minors.
func checked[P any](eras []Era[P]) (list[P], error) {
	if len(eras) == 0 {
		return nil, noEras()
	}
	var c eraCheck
	all := make(list[P], len(eras))
	for i, e := range eras {
		c.name(i, e.Name)
		if e.Data == nil {
			c.report("no-era-function", "has no function",
				"set Data; hash.CanonicalData returns none for a Schema or function that is nil")
		}
		all[i] = era[P]{e, c.from(i, e.From)}
	}
	if err := c.problems.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// AdditionalData returns the additional data of a pool, by the era of its kind that is in force: what
// an extension hands to Gardener's WorkerPoolHash. [hotupdate.StrategyOf] and [hotupdate.RawConfig]
// read Gardener's fields.
//
// The version is the pool's Kubernetes version, which may be older than the control plane's;
// [Eras.Explain] says which era it selects. Raw is the unchanged provider config, nil if there is
// none.
//
// An unknown strategy has the code unknown-strategy, and an unreadable version malformed-version. An
// error of the era's function is wrapped in one with the code era-failed, see [fault.Error]. A panic
// of the function is not caught.
func (e *Eras[P]) AdditionalData(
	strategy hotupdate.Strategy, kubernetesVersion *string, raw []byte, pool P,
) (lists AdditionalData, err error) {
	eras, err := e.of(strategy)
	if err != nil {
		return AdditionalData{}, err
	}
	i, _, err := eras.choose(kubernetesVersion)
	if err != nil {
		return AdditionalData{}, err
	}
	data, err := eras[i].Data(raw, pool)
	switch {
	case err != nil:
		return AdditionalData{}, &fault.Error{
			Kind: fault.Failed, Code: fault.EraFailed, Where: eraName(i, eras[i].Name), Cause: err,
			What: "its function failed",
		}
	case strategy.InPlace():
		return AdditionalData{InPlace: data}, nil
	}
	return AdditionalData{Rolling: data}, nil
}

// Explain returns the name of the era in force for the strategy and the Kubernetes version of a pool,
// and the reason as a sentence. It is the last era whose From is not above the version's minor. A nil
// version selects the first era, since Gardener did not always set a version. An empty version is an error.
//
//   - The version follows Semantic Versioning. It may begin with v, and the patch version may be
//     missing: 1.34.2, v1.34.2, 1.34.
//   - A pre-release belongs to its minor, 1.34.0-rc.1 to 1.34, although Semantic Versioning orders
//     it below 1.34.0. Gardener's hashes cover MAJOR.MINOR, so the update to the pre-release
//     replaces the machines, and the update from there to the release does not.
//   - Build metadata is ignored: 1.34.0+build.5 belongs to 1.34.
//   - Minors are ordered by number: 1.9 is below 1.10.
//   - Everything else is an error, never a guess: a missing minor, leading zeros, white space, a
//     fourth number, numbers of more than nine digits, trailing text.
//
// The code of the error is unknown-strategy or malformed-version.
func (e *Eras[P]) Explain(
	strategy hotupdate.Strategy, kubernetesVersion *string,
) (era, why string, err error) {
	eras, err := e.of(strategy)
	if err != nil {
		return "", "", err
	}
	i, minor, err := eras.choose(kubernetesVersion)
	if err != nil {
		return "", "", err
	}
	until := ""
	if i+1 < len(eras) {
		until = eras[i+1].From
	}
	era = eras[i].Name
	return era, "era " + strconv.Quote(era) + " is in force: " + reason(eras[i].From, minor, until), nil
}

// of returns the eras of pools with a strategy.
func (e *Eras[P]) of(strategy hotupdate.Strategy) (list[P], error) {
	if _, err := hotupdate.ParseStrategy(strategy.String()); err != nil {
		return nil, err
	}
	switch {
	case e == nil || len(e.rolling) == 0:
		return nil, noEras()
	case strategy.InPlace():
		return e.inPlace, nil
	}
	return e.rolling, nil
}

// choose returns the position of the era in force, and the minor of the version, which is empty
// without a version.
func (l list[P]) choose(version *string) (int, string, error) {
	if version == nil {
		return 0, "", nil
	}
	minor, err := kubeminor.Parse(*version)
	if err != nil {
		return 0, "", err
	}
	i := slices.IndexFunc(l[1:], func(next era[P]) bool { return minor.Compare(next.from) < 0 })
	if i < 0 {
		i = len(l) - 1
	}
	return i, minor.String(), nil
}

// reason says why the era that begins with from and ends before until is in force for minor. An
// empty from or until means no bound, an empty minor no version.
func reason(from, minor, until string) string {
	switch {
	case minor == "":
		return "the pool has no Kubernetes version"
	case from == "" && until == "":
		return "it is the only era"
	case from == "":
		return "Kubernetes " + minor + " is below " + until
	case until == "":
		return "Kubernetes " + minor + " is at least " + from
	}
	return "Kubernetes " + minor + " is at least " + from + " and below " + until
}

// CanonicalData returns the function of an era that hashes by meaning. It returns the
// [hotupdate.Schema.HashRaw] of the raw config, and the strings that more returns for the pool's
// own fields. Nil and empty raw configs are the empty configuration. HashRaw has the same errors.
//
// It returns nil for a Schema that is nil or zero, and if one of more is nil. [NewEras] reports an
// era without a function.
func CanonicalData[P any](
	schema *hotupdate.Schema, more ...func(pool P) []string,
) func(raw []byte, pool P) ([]string, error) {
	_, err := schema.HashRaw(nil) // of a Schema, every empty configuration has a hash
	if err != nil || slices.ContainsFunc(more, func(f func(P) []string) bool { return f == nil }) {
		return nil
	}
	return func(raw []byte, pool P) ([]string, error) {
		sum, err := schema.HashRaw(raw)
		if err != nil {
			return nil, err
		}
		data := sum.AdditionalData()
		for _, f := range more {
			data = append(data, f(pool)...)
		}
		return data, nil
	}
}

// eraCheck collects the mistakes in a list of eras.
type eraCheck struct {
	problems fault.List
	where    string
	names    []string
	last     kubeminor.Minor // the highest From so far
}

func (c *eraCheck) report(code, what, hint string) {
	c.problems.Add(&fault.Error{Kind: fault.Declaration, Code: code, Where: c.where, What: what, Hint: hint})
}

func (c *eraCheck) name(i int, name string) {
	c.where = eraName(i, name)
	switch {
	case name == "":
		c.report("no-era-name", "has no name", "set Name")
	case slices.Contains(c.names, name):
		c.report("duplicate-era-name", "another era has this name", "give each era a distinct name")
	}
	c.names = append(c.names, name)
}

func (c *eraCheck) from(i int, from string) kubeminor.Minor {
	if i == 0 {
		if from != "" {
			c.report("first-era-has-from", "begins at "+plaintext.Quoted(from)+", so older pools have no era",
				"leave out From of the first era")
		}
		return kubeminor.Minor{}
	}
	minor, ok := kubeminor.Read(from)
	switch {
	case from == "":
		c.report("no-from", "does not say where it begins", "set From to a minor, such as 1.34")
	case !ok || minor.String() != from:
		c.report("invalid-from", "begins at "+plaintext.Quoted(from), "write MAJOR.MINOR, such as 1.34")
	case minor == c.last:
		c.report("duplicate-from", "begins at "+from+" as another era does", "let one of them begin later, or drop it")
	case minor.Compare(c.last) < 0:
		c.report("unordered-from", "begins at "+from+", below the "+c.last.String()+" of an era before it",
			"order the eras by From")
	default:
		c.last = minor
	}
	return minor
}

func eraName(i int, name string) string { return "era " + strconv.Itoa(i) + " " + strconv.Quote(name) }

func noEras() error {
	return &fault.Error{
		Kind: fault.Declaration, Code: "no-eras", Where: "eras", What: "there is none",
		Hint: "give NewEras at least the function in use today",
	}
}
