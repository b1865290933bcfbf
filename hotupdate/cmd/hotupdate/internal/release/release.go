// Package release hashes provider configs like a release of a provider extension.
//
// [Read] reads a description of the release: a Schema, a golden file of hotupdatetest, or a set of
// eras. [Start] starts a program that hashes like the release.
package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// Release is a release of an extension. It is safe for concurrent use.
type Release struct {
	// From is the file with the description of the release, or the command line of its program.
	From string
	// Schema is the Schema that the release reads provider configs with; nil if only a program
	// describes the release.
	Schema *hotupdate.Schema
	// Kind is the type of the provider configs; empty if the file does not have it.
	Kind facts.TypeMeta
	// Eras are the eras of the hash, the oldest first; none if a program hashes.
	Eras []*Era
	// IsSchema says that the file is not a set of eras. Then there is one era.
	IsSchema bool

	eras    *hash.Eras[struct{}]
	program *program // hashes pools, if not nil
}

// Method is how an era hashes a provider config.
type Method string

// The methods.
const (
	Canonical Method = "schema" // its canonical document
	RawBytes  Method = "raw"    // its bytes
	CutBytes  Method = "cut"    // its bytes without hot members, see hotupdate.Schema.StripRaw
	Function  Method = "other"  // the result of an unknown function
)

// eraFile is a set of eras in a file.
type eraFile struct {
	facts.TypeMeta

	FormatVersion int             `json:"formatVersion"`
	Schema        json.RawMessage `json:"schema"`
	Eras          []*Era          `json:"eras"`
	Schemas       json.RawMessage `json:"schemas"` // only in a list of Schemas, which is refused
}

// Era is one era of a release.
type Era struct {
	// Name names the era. From is its first Kubernetes minor, empty in the first era.
	Name string `json:"name"`
	From string `json:"from"`
	// Hash is the method of the era.
	Hash Method `json:"hash"`
	// Schema is the Schema that the method uses; nil in an era of a program.
	Schema *hotupdate.Schema `json:"-"`

	Own   json.RawMessage `json:"schema"` // empty for the Schema of the release
	Nulls string          `json:"nulls"`
	Empty string          `json:"onlyTypeMeta"`
}

// eraFileVersion is the version of files with eras.
const eraFileVersion = 1

// Read reads a file with a Schema, a golden file of hotupdatetest, or a file with a set of eras. It
// also reads the files that the file names.
func Read(file string) (*Release, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, manifest.InFile(file, err)
	}
	return parse(file, data)
}

// parse reads a set of eras, or a Schema as the only era.
func parse(file string, data []byte) (*Release, error) {
	var f eraFile
	err := json.Unmarshal(data, &f)
	r := &Release{From: file, Kind: f.TypeMeta, IsSchema: f.Eras == nil}
	switch {
	case err != nil:
		err = errors.New("is malformed; write a Schema, a golden file or a set of eras")
	case len(f.Schemas) > 0:
		err = errors.New("is a list of Schemas; write one Schema, as `hotupdate schema PROVIDER` does")
	case r.IsSchema:
		f.Schema = data
		f.Eras = []*Era{{Name: "the Schema", Hash: Canonical}}
	default:
		err = f.check(data)
	}
	if err == nil && (f.APIVersion == "") != (f.Kind == "") {
		err = errors.New("has one of apiVersion and kind; write both, or neither")
	}
	if err == nil {
		r.Schema, err = referredSchema(file, f.Schema)
	}
	if err == nil {
		err = r.setEras(f.Eras)
	}
	return r, manifest.InFile(file, err)
}

// check reads a set of eras strictly.
func (f *eraFile) check(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(f); err != nil {
		return fmt.Errorf("is not a set of eras: %w", err)
	}
	if f.FormatVersion != eraFileVersion {
		return fmt.Errorf("has formatVersion %d, but this release reads %d; write formatVersion %d", f.FormatVersion,
			eraFileVersion, eraFileVersion)
	}
	return nil
}

// referredSchema loads a Schema from raw, which is the Schema, a golden file with it, or the name
// of such a file relative to this file.
func referredSchema(file string, raw json.RawMessage) (*hotupdate.Schema, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil && name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("schema: %w", manifest.InFile(name, err))
		}
		raw = data
	}
	var golden struct{ Schema json.RawMessage }
	if json.Unmarshal(raw, &golden) != nil {
		return nil, errors.New("schema: is missing; write a Schema or the name of a file with one")
	}
	if len(golden.Schema) > 0 {
		raw = golden.Schema
	}
	return hotupdate.LoadSchema(raw)
}

// setEras prepares the eras of a release.
func (r *Release) setEras(all []*Era) (err error) {
	r.Eras = all
	eras := make([]hash.Era[struct{}], len(all))
	problems := make([]error, len(all))
	for i, e := range all {
		if e == nil {
			return fmt.Errorf("eras[%d]: is null", i)
		}
		if err := e.prepare(r); err != nil {
			problems[i] = fmt.Errorf("era %q: %w", e.Name, err)
		}
		eras[i] = hash.Era[struct{}]{Name: e.Name, From: e.From, Data: e.data}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	r.eras, err = hash.NewEras(eras, eras) // a file has one list for all pools
	mistakes := fault.All(err)
	mistakes = mistakes[:len(mistakes)/2] // of the other list they are the same
	return mistakes.Err()
}

// prepare checks an era, and sets its Schema.
func (e *Era) prepare(r *Release) (err error) {
	isOption := func(text string, words ...string) bool {
		return text == "" || e.Hash == CutBytes && slices.Contains(words, text)
	}
	switch {
	case !slices.Contains([]Method{Canonical, RawBytes, CutBytes, Function}, e.Hash):
		return fmt.Errorf("hash: is %q; write schema, raw, cut or other", string(e.Hash))
	case !isOption(e.Nulls, "cut", "keep"):
		return fmt.Errorf("nulls: is %q; write cut or keep, in an era with hash cut", e.Nulls)
	case !isOption(e.Empty, "kept", "absent"):
		return fmt.Errorf("onlyTypeMeta: is %q; write kept or absent, in an era with hash cut", e.Empty)
	case len(e.Own) > 0:
		e.Schema, err = referredSchema(r.From, e.Own)
	default:
		e.Schema = r.Schema
	}
	return err
}

// data returns the strings that the era adds to the name of a pool with a provider config.
func (e *Era) data(raw []byte, _ struct{}) ([]string, error) {
	switch e.Hash {
	case Canonical:
		return hash.CanonicalData[struct{}](e.Schema)(raw, struct{}{})
	case RawBytes:
		return bytesOf(facts.ConfigOf(raw).Stored().Raw()), nil
	case CutBytes:
		strip := e.Schema.StripRaw
		if e.Nulls == "keep" {
			strip = e.Schema.StripRawKeepNulls
		}
		cut, err := strip(facts.ConfigOf(raw).Stored().Raw())
		if e.Empty == "absent" && hash.OnlyTypeMeta(cut) {
			cut = nil
		}
		return bytesOf(cut), err
	case Function, byProgram:
	}
	return nil, nil
}

// bytesOf returns bytes as the only string to hash, or nothing without a config.
func bytesOf(raw []byte) []string {
	if len(raw) == 0 {
		return nil
	}
	return []string{string(raw)}
}

// Hashed is the result of hashing a provider config.
type Hashed struct {
	// Era is the era in force. It has no name if the Kubernetes version is malformed.
	Era *Era
	// Data are the strings that the release adds to the name of the pool. They are nil if the
	// function of the era is not known.
	Data []string
	// Refused says why the release cannot read the provider config; nil if it can.
	Refused error
}

// IsUnknown reports whether the function of the era is not known.
func (h Hashed) IsUnknown() bool { return h.Era.Hash == Function }

// IsOfProgram reports whether a program has hashed the pool, with all that its release hashes.
func (h Hashed) IsOfProgram() bool { return h.Era.Hash == byProgram }

// Hash reads the provider config of a pool, and hashes it in the era in force for its Kubernetes
// version. A pool without a version is in the first era. An error is a failure of the program.
func (r *Release) Hash(p *facts.Pool) (h Hashed, err error) {
	if r.program != nil {
		return r.program.hash(p)
	}
	var raw []byte
	if !p.Config.IsAbsent() {
		raw = p.Config.Raw()
	}
	h.Era, h.Refused = r.Era(p.Worker.KubernetesVersion)
	if h.Refused == nil && (h.Era.Hash != Canonical || h.Era.Schema != r.Schema) { // otherwise hashing decodes it
		_, h.Refused = r.Schema.Decode(raw)
	}
	if h.Refused == nil {
		h.Data, h.Refused = h.Era.data(raw, struct{}{})
	}
	return h, nil
}

// Era returns the era in force for a Kubernetes version or minor, and the first one without a
// version. If there are no eras, or the version is malformed, the era has no name.
func (r *Release) Era(version string) (*Era, error) {
	at := &version
	switch {
	case len(r.Eras) == 0:
		return &Era{}, nil
	case version == "":
		at = nil
	}
	name, _, err := r.eras.Explain(hotupdate.AutoRollingUpdate, at)
	if err != nil {
		return &Era{}, err
	}
	return r.Eras[slices.IndexFunc(r.Eras, func(e *Era) bool { return e.Name == name })], nil
}
