// Package release reads how a release of a provider extension reads and hashes provider configs: from a Schema, from a golden file of
// hotupdatetest, or from a set of eras.
package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// Release is how a release of an extension reads and hashes provider configs. It is safe for concurrent use.
type Release struct {
	// From is the file that says it.
	From string
	// Schema is what the release reads provider configs by.
	Schema *hotupdate.Schema
	// Kind is that of the provider configs; empty if the file does not say.
	Kind pool.TypeMeta
	// Eras are the ways in which it hashes them, the oldest first. There is one if the file is no set of eras, which IsSchema says.
	Eras     []*Era
	IsSchema bool

	eras   *hash.Eras[struct{}]
	chosen sync.Map // the eras by Kubernetes version
}

// Method is how an era hashes a provider config.
type Method string

// The methods.
const (
	Canonical Method = "schema" // by its canonical document
	RawBytes  Method = "raw"    // by its bytes
	CutBytes  Method = "cut"    // by its bytes without hot members, see hotupdate.Schema.StripRaw
	Function  Method = "other"  // by a function that is not known here
)

// eraFile is a set of eras in a file.
type eraFile struct {
	pool.TypeMeta

	FormatVersion int             `json:"formatVersion"`
	Schema        json.RawMessage `json:"schema"`
	Eras          []eraInFile     `json:"eras"`
}

// Era is one era of a release.
type Era struct {
	// Name names the era. From is its first Kubernetes minor, empty in the first era.
	Name, From string
	// Hash is how it hashes.
	Hash Method
	// Schema is what it hashes by; nil if it needs none.
	Schema *hotupdate.Schema

	data eraFunction
}

// eraInFile is an era in a file.
type eraInFile struct {
	Name   string          `json:"name"`
	From   string          `json:"from"`
	Hash   Method          `json:"hash"`
	Schema json.RawMessage `json:"schema"` // nothing if it has that of the release
	Nulls  string          `json:"nulls"`
	Empty  string          `json:"onlyTypeMeta"`
}

// eraFileVersion is the version of files with eras.
const eraFileVersion = 1

// Read reads a file with a Schema, a golden file of hotupdatetest, or a file with a set of eras, and the files that it refers to.
func Read(file string) (*Release, error) {
	data, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parse(file, data)
}

// ReadFile reads a file of at most [manifest.MaxSize] bytes. Its errors name it.
func ReadFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, manifest.InFile(path, err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(file, manifest.MaxSize+1))
	if err == nil && len(data) > manifest.MaxSize {
		err = fmt.Errorf("is larger than %d MiB", manifest.MaxSize>>20)
	}
	return data, manifest.InFile(path, err)
}

func parse(file string, data []byte) (*Release, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("%s: is no JSON object; write a Schema, a golden file or a set of eras", file)
	}
	if _, ok := members["schemas"]; ok {
		return nil, fmt.Errorf("%s: is a list of Schemas; write one Schema, as `hotupdate schema PROVIDER` does", file)
	}
	if _, ok := members["eras"]; ok {
		r, err := readEras(file, data)
		return r, manifest.InFile(file, err)
	}
	schema, kind, err := schemaIn(data, members)
	if err != nil {
		return nil, manifest.InFile(file, err)
	}
	r := &Release{From: file, Schema: schema, Kind: kind, IsSchema: true}
	return r, r.setEras([]eraInFile{{Name: "the Schema", Hash: Canonical}})
}

// schemaIn loads a Schema on its own, in a golden file, or with the kind of its configs.
func schemaIn(data []byte, members map[string]json.RawMessage) (*hotupdate.Schema, pool.TypeMeta, error) {
	var kind pool.TypeMeta
	if inner, wrapped := members["schema"]; wrapped {
		if json.Unmarshal(data, &kind) != nil {
			return nil, kind, errors.New("apiVersion and kind: are no strings")
		}
		data = inner
	}
	if err := checkKind(kind); err != nil {
		return nil, kind, err
	}
	schema, err := hotupdate.LoadSchema(data)
	return schema, kind, err
}

// checkKind refuses half a kind.
func checkKind(kind pool.TypeMeta) error {
	if (kind.APIVersion == "") != (kind.Kind == "") {
		return errors.New("has one of apiVersion and kind; write both, or neither")
	}
	return nil
}

// readEras reads a set of eras strictly.
func readEras(file string, data []byte) (*Release, error) {
	var f eraFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("is no set of eras: %w", err)
	}
	if f.FormatVersion != eraFileVersion {
		return nil, fmt.Errorf("has formatVersion %d; this release knows %d", f.FormatVersion, eraFileVersion)
	}
	if err := checkKind(f.TypeMeta); err != nil {
		return nil, err
	}
	schema, err := referredSchema(file, f.Schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	r := &Release{From: file, Schema: schema, Kind: f.TypeMeta}
	return r, r.setEras(f.Eras)
}

// referredSchema loads a Schema from raw, which holds the Schema or the name of a file, relative to this file.
func referredSchema(file string, raw json.RawMessage) (*hotupdate.Schema, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil && name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		data, err := ReadFile(name)
		if err != nil {
			return nil, err
		}
		raw = data
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, errors.New("is missing; write a Schema or the name of a file with one")
	}
	schema, _, err := schemaIn(raw, members)
	return schema, err
}

// setEras makes the eras of a release.
func (r *Release) setEras(all []eraInFile) error {
	eras := make([]hash.Era[struct{}], len(all))
	problems := make([]error, len(all))
	for i, e := range all {
		schema, data, err := e.function(r)
		if err != nil {
			problems[i] = fmt.Errorf("era %q: %w", e.Name, err)
		}
		r.Eras = append(r.Eras, &Era{e.Name, e.From, e.Hash, schema, data})
		eras[i] = hash.Era[struct{}]{Name: e.Name, From: e.From, Data: data}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	made, err := hash.NewEras(eras)
	r.eras = made
	return err
}

type eraFunction = func(raw []byte, pool struct{}) ([]string, error)

// function returns the hash function of an era with the Schema that it needs.
func (e *eraInFile) function(r *Release) (*hotupdate.Schema, eraFunction, error) {
	schema := r.Schema
	if len(e.Schema) > 0 {
		var err error
		if schema, err = referredSchema(r.From, e.Schema); err != nil {
			return nil, nil, fmt.Errorf("schema: %w", err)
		}
	}
	cut, err := e.cut(schema)
	if err != nil {
		return nil, nil, err
	}
	switch e.Hash {
	case Canonical:
		return schema, hash.Canonical[struct{}](schema), nil
	case CutBytes:
		return schema, cut, nil
	case RawBytes:
		return nil, func(raw []byte, _ struct{}) ([]string, error) { return bytesOf(pool.AsStored(raw)), nil }, nil
	case Function:
		return nil, func([]byte, struct{}) ([]string, error) { return nil, nil }, nil
	}
	return nil, nil, fmt.Errorf("hash: is %q; write schema, raw, cut or other", string(e.Hash))
}

// cut is the function of an era that cuts hot members out, with the options that only such an era has.
func (e *eraInFile) cut(schema *hotupdate.Schema) (eraFunction, error) {
	nulls, known := map[string]hotupdate.NullMembers{"": hotupdate.StripNulls, "cut": hotupdate.StripNulls, "keep": hotupdate.KeepNulls}[e.Nulls]
	switch {
	case !known || e.Nulls != "" && e.Hash != CutBytes:
		return nil, fmt.Errorf("nulls: is %q; write cut or keep, in an era with hash cut", e.Nulls)
	case e.Empty != "" && (e.Empty != "kept" && e.Empty != "absent" || e.Hash != CutBytes):
		return nil, fmt.Errorf("onlyTypeMeta: is %q; write kept or absent, in an era with hash cut", e.Empty)
	}
	return func(raw []byte, _ struct{}) ([]string, error) {
		cut, err := schema.StripRaw(pool.AsStored(raw), nulls)
		if e.Empty == "absent" && hash.OnlyTypeMeta(cut) {
			cut = nil
		}
		return bytesOf(cut), err
	}, nil
}

// bytesOf is what hashing bytes hands on: nothing where there is no config.
func bytesOf(raw []byte) []string {
	if len(raw) == 0 {
		return nil
	}
	return []string{string(raw)}
}

// Hashed is what a release makes of a provider config.
type Hashed struct {
	// Era is the era in force; one without a name if the Kubernetes version is malformed.
	Era *Era
	// Data are the strings that it adds to the name of the pool. They are nothing if its function is not known.
	Data []string
}

// IsUnknown reports whether the function of the era is not known.
func (h Hashed) IsUnknown() bool { return h.Era.Hash == Function }

// Sum identifies the strings: the sum of a canonical document, or the digest of others.
func (h Hashed) Sum() string {
	switch {
	case len(h.Data) == 0:
		return ""
	case h.Era.Hash == Canonical:
		return strings.Join(h.Data, " ")
	default:
		return hash.Compose(h.Data...).String()
	}
}

// Hash reads the provider config of a pool, and hashes it by the era in force for its Kubernetes version. A pool without a version is in the
// first era.
func (r *Release) Hash(p *pool.Pool) (Hashed, error) {
	era, err := r.era(p.Worker.KubernetesVersion)
	if err != nil {
		return Hashed{Era: &Era{}}, err
	}
	h, raw := Hashed{Era: era}, p.ProviderConfig
	if pool.IsNull(raw) {
		raw = nil
	}
	if era.Hash != Canonical || era.Schema != r.Schema { // otherwise hashing reads it
		if _, err := r.Schema.Decode(raw); err != nil {
			return h, err
		}
	}
	h.Data, err = era.data(raw, struct{}{})
	return h, err
}

// era returns the era in force.
func (r *Release) era(version string) (*Era, error) {
	if version == "" {
		return r.Eras[0], nil
	}
	if known, ok := r.chosen.Load(version); ok {
		return known.(*Era), nil
	}
	choice, err := r.eras.Explain(&version)
	if err != nil {
		return nil, err
	}
	era := r.Eras[slices.IndexFunc(r.Eras, func(e *Era) bool { return e.Name == choice.Era })]
	r.chosen.Store(version, era)
	return era, nil
}
