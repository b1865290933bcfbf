package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool"
)

// release is how a release of an extension reads and hashes provider configs.
type release struct {
	from   string
	schema *hotupdate.Schema // what it reads them by
	kind   pool.TypeMeta     // of the provider configs; empty if the file does not say
	eras   *hash.Eras[struct{}]
	froms  []string // a Kubernetes version in each era, empty for the first
	alone  bool     // it is a Schema, without eras
	byName map[string]*era
}

// method is how an era hashes a provider config.
type method string

// The methods.
const (
	canonical method = "schema" // by its canonical document
	rawBytes  method = "raw"    // by its bytes
	cutBytes  method = "cut"    // by its bytes without hot members, see hotupdate.Schema.StripRaw
	function  method = "other"  // by a function that is not known here
)

// words returns the method in words.
func (m method) words() string {
	return map[method]string{
		canonical: "the canonical document", rawBytes: "the bytes", cutBytes: "the bytes without hot members", function: "in a way that is not known here",
	}[m]
}

// eraFile is a set of eras in a file.
type eraFile struct {
	pool.TypeMeta

	FormatVersion int             `json:"formatVersion"`
	Schema        json.RawMessage `json:"schema"`
	Eras          []era           `json:"eras"`
}

// era is one era of a release.
type era struct {
	Name   string          `json:"name"`
	From   string          `json:"from"`
	Hash   method          `json:"hash"`
	Schema json.RawMessage `json:"schema"` // nothing if it has that of the release
	Nulls  string          `json:"nulls"`
	Empty  string          `json:"onlyTypeMeta"`

	schema *hotupdate.Schema // which it hashes by; nil if it needs none
}

// eraFileVersion is the version of files with eras.
const eraFileVersion = 1

// readRelease reads a Schema, a golden file of hotupdatetest, or a set of eras.
func readRelease(file string) (*release, error) {
	data, err := readWhole(file)
	if err != nil {
		return nil, err
	}
	return parseRelease(file, data)
}

// parseRelease reads the content of a file, and the files that it refers to.
func parseRelease(file string, data []byte) (*release, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("%s: is no JSON object; write a Schema, a golden file or a set of eras", file)
	}
	if _, ok := members["schemas"]; ok {
		return nil, fmt.Errorf("%s: is a list of Schemas; write one Schema, as `hotupdate schema PROVIDER` does", file)
	}
	if _, ok := members["eras"]; ok {
		r, err := readEras(file, data)
		return r, inFile(file, err)
	}
	schema, kind, err := schemaIn(data, members)
	if err != nil {
		return nil, inFile(file, err)
	}
	r := &release{from: file, schema: schema, kind: kind, alone: true}
	return r, r.setEras([]era{{Name: "the Schema", Hash: canonical}})
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
func readEras(file string, data []byte) (*release, error) {
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
	r := &release{from: file, schema: schema, kind: f.TypeMeta}
	return r, r.setEras(f.Eras)
}

// referredSchema loads a Schema from raw, which holds the Schema or the name of a file, relative to this file.
func referredSchema(file string, raw json.RawMessage) (*hotupdate.Schema, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil && name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		data, err := readWhole(name)
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
func (r *release) setEras(all []era) error {
	r.byName = map[string]*era{}
	eras := make([]hash.Era[struct{}], len(all))
	var problems []error
	for i := range all {
		e := &all[i]
		e.schema = r.schema
		var err error
		if len(e.Schema) > 0 {
			if e.schema, err = referredSchema(r.from, e.Schema); err != nil {
				problems = append(problems, fmt.Errorf("era %q: schema: %w", e.Name, err))
				continue
			}
		}
		data, err := e.function()
		if err != nil {
			problems = append(problems, fmt.Errorf("era %q: %w", e.Name, err))
		}
		r.byName[e.Name] = e
		r.froms = append(r.froms, e.From)
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

// function returns the hash function of an era. An era that hashes without a Schema loses it.
func (e *era) function() (eraFunction, error) {
	cut, err := e.cut()
	if err != nil {
		return nil, err
	}
	switch e.Hash {
	case canonical:
		return hash.Canonical[struct{}](e.schema), nil
	case cutBytes:
		return cut, nil
	case rawBytes:
		e.schema = nil
		return func(raw []byte, _ struct{}) ([]string, error) { return bytesOf(raw), nil }, nil
	case function:
		e.schema = nil
		return func([]byte, struct{}) ([]string, error) { return []string{"the function of era " + e.Name}, nil }, nil
	}
	return nil, fmt.Errorf("hash: is %q; write schema, raw, cut or other", e.Hash)
}

// cut is the function of an era that cuts hot members out, with the options that only such an era has.
func (e *era) cut() (eraFunction, error) {
	nulls, known := map[string]hotupdate.NullMembers{"": hotupdate.StripNulls, "cut": hotupdate.StripNulls, "keep": hotupdate.KeepNulls}[e.Nulls]
	switch {
	case !known || e.Nulls != "" && e.Hash != cutBytes:
		return nil, fmt.Errorf("nulls: is %q; write cut or keep, in an era with hash cut", e.Nulls)
	case e.Empty != "" && (e.Empty != "kept" && e.Empty != "absent" || e.Hash != cutBytes):
		return nil, fmt.Errorf("onlyTypeMeta: is %q; write kept or absent, in an era with hash cut", e.Empty)
	}
	return func(raw []byte, _ struct{}) ([]string, error) {
		cut, err := e.schema.StripRaw(raw, nulls)
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
