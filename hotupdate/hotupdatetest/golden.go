package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/hotupdate"
)

// goldenFormat is the version of the file that Golden keeps.
const goldenFormat = 1

// golden is the file.
type golden struct {
	FormatVersion int             `json:"formatVersion"`
	Schema        json.RawMessage `json:"schema"`
	Vectors       []vector        `json:"vectors"`
}

// vector is a configuration with the document and the hash that it had when it was written down.
type vector struct {
	Name     string          `json:"name"`
	Config   json.RawMessage `json:"config"`
	Document json.RawMessage `json:"document"`
	Sum      hash.Sum        `json:"sum"`
}

// Golden compares type C with what the file says of it: its Schema, and the hashes of fixed configurations. The file belongs into version
// control, so that a release that would rename a pool cannot be built unawares.
//
// A difference is explained in words: what changed about which field, and what that does to a fleet which nobody touches. Everything that
// [hotupdate.Compatibility] finds is named; so is each vector whose hash is another, or that is refused, be it because a marshaler writes
// something else, which no Schema shows.
//
// The file is written, and written anew, with [WithUpdate]:
//   - UpdateHarmless writes it only if no hash changes and nothing is refused; otherwise the test fails, with the explanation.
//   - UpdateRolling writes it in any case. Vectors of the file that the type refuses are left out of it; those of the test have to be
//     mended there. A Schema that has named pools has to live on in an era (see [hash.Eras]), so keep the old file.
//
// A file that does not exist is written by either. The vectors are one for each field that has a value of its own, and those given by
// [WithVector]; those in the file stay as long as they can be read, so that a vector outlives the release that wrote it.
func Golden[C any](t T, file string, options ...Option) {
	t.Helper()
	s, err := subjectOf[C](options)
	if err != nil {
		fail(t, reflect.TypeFor[C](), err)
		return
	}
	if err := s.golden(file); err != nil {
		t.Errorf("hotupdatetest: %v: %v", s.typ, err)
	}
}

// golden compares, and updates if it may.
func (s *subject) golden(file string) error {
	written, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if s.update == Verify {
			return misuse(file, "does not exist", "run the test with -update, see WithUpdate, and commit the file")
		}
		return s.write(file, nil)
	}
	if err != nil {
		return err
	}
	kept, old, err := readGolden(file, written)
	if err != nil {
		return err
	}
	differences, err := s.differences(kept, old)
	if err != nil {
		return err
	}
	return s.settle(file, written, kept, differences)
}

// readGolden reads the file strictly.
func readGolden(file string, written []byte) (*golden, *hotupdate.Schema, error) {
	kept := &golden{}
	decoder := json.NewDecoder(bytes.NewReader(written))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(kept); err != nil {
		return nil, nil, misuse(file, "is no golden file: "+err.Error(), "restore it from version control")
	}
	if kept.FormatVersion != goldenFormat {
		return nil, nil, misuse(file, fmt.Sprintf("has formatVersion %d, and this release knows %d", kept.FormatVersion, goldenFormat), "use a release that knows it")
	}
	old, err := hotupdate.LoadSchema(kept.Schema)
	if err != nil {
		return kept, nil, nil //nolint:nilerr // a type that contains itself; its Schemas are compared as JSON
	}
	return kept, old, nil
}

// difference is one thing that differs from the file.
type difference struct {
	text     string
	harmless bool
}

// differences compares Schema and vectors. Old is nil if it cannot be loaded.
func (s *subject) differences(kept *golden, old *hotupdate.Schema) ([]difference, error) {
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	all, err := s.schemaDifferences(kept, old, exported)
	if err != nil {
		return nil, err
	}
	for _, v := range kept.Vectors {
		if d := s.vectorDifference(v, kept.Schema); d != "" {
			all = append(all, difference{d, false})
		}
	}
	return all, nil
}

func (s *subject) schemaDifferences(kept *golden, old *hotupdate.Schema, exported []byte) ([]difference, error) {
	same := fingerprintOf(kept.Schema) == fingerprintOf(exported)
	switch {
	case same:
		return nil, nil
	case old == nil:
		return []difference{{"the Schema is another, and the type contains itself, so that its Schemas cannot be compared field by field", false}}, nil
	}
	findings, err := hotupdate.Compatibility(old, s.schema)
	if err != nil {
		return nil, err
	}
	var all []difference
	for _, f := range findings {
		all = append(all, difference{f.String(), f.Harmless()})
	}
	if len(all) == 0 {
		all = append(all, difference{"the Schema has another fingerprint, and means the same", true})
	}
	return all, nil
}

func fingerprintOf(schema json.RawMessage) string {
	var d struct {
		Fingerprint string `json:"fingerprint"`
	}
	if json.Unmarshal(schema, &d) != nil {
		return ""
	}
	return d.Fingerprint
}

// vectorDifference says how a vector's hash differs from the one that was written down.
func (s *subject) vectorDifference(v vector, schema json.RawMessage) string {
	sum, err := hash.OfRaw(s.schema, v.Config)
	switch {
	case err != nil:
		return fmt.Sprintf("vector %q: is refused: %v", v.Name, err)
	case sum == v.Sum:
		return ""
	}
	document, _ := hash.DocumentRaw(s.schema, v.Config)
	text := fmt.Sprintf("vector %q: has another hash: a pool like it rolls unless an era of the old Schema stays", v.Name)
	if path := s.blame(v.Document, document); path != "" {
		text += "; look at " + path
	}
	if !s.plan.Root.HidesBelow && !bytes.Contains(schema, []byte(`"sensitive":`)) {
		text += fmt.Sprintf("\n  was %s\n  is  %s", compacted(v.Document), document)
	}
	return text
}

// settle reports the differences, or writes the file if they may be accepted.
func (s *subject) settle(file string, written []byte, kept *golden, differences []difference) error {
	grave := slices.ContainsFunc(differences, func(d difference) bool { return !d.harmless })
	if s.update == UpdateRolling || s.update == UpdateHarmless && !grave {
		return s.write(file, kept)
	}
	if len(differences) == 0 {
		return s.complete(file, written, kept)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: the type is not what it was:", file)
	for _, d := range differences {
		text.WriteString("\n- " + d.text)
	}
	switch {
	case grave && s.update == UpdateHarmless:
		text.WriteString("\n-update does not write what would roll a pool or refuse a configuration; if it has to be, keep the old Schema in an era and run with -update=roll")
	case grave:
		text.WriteString("\nundo the change; or, if it has to be, keep the old Schema in an era, see hash.Eras, and run the test with -update=roll")
	default:
		text.WriteString("\nnone of it rolls a pool; run the test with -update")
	}
	return errors.New(text.String()) //nolint:err113 // shown to the tester, not handled
}

// complete makes sure that the file holds every vector that it should.
func (s *subject) complete(file string, written []byte, kept *golden) error {
	want, err := s.content(kept)
	if err != nil || bytes.Equal(want, written) {
		return err
	}
	return misuse(file, "says the same, but not all that it should, or in another spelling", "run the test with -update")
}

func (s *subject) write(file string, kept *golden) error {
	content, err := s.content(kept)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // source code, readable like all of it
		return err
	}
	return os.WriteFile(file, content, 0o644) //nolint:gosec // source code, readable like all of it
}

// content is the file as it should be: the Schema of today, the vectors that were there and can be read, and those that are missing.
func (s *subject) content(kept *golden) ([]byte, error) {
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	g := golden{FormatVersion: goldenFormat, Schema: exported}
	singles := s.singles()
	if kept != nil {
		singles = merged(s.readable(kept.Vectors), singles)
	}
	for i, v := range merged(s.vectors, singles) {
		v.Document, err = hash.DocumentRaw(s.schema, v.Config)
		switch {
		case err != nil && i < len(s.vectors): // of the test; whatever is in the file has been read
			return nil, misuse(fmt.Sprintf("WithVector(%q, …)", v.Name), "is refused by the type: "+err.Error(), "write it as the type is now, or under another name, or remove it")
		case err != nil:
			return nil, fmt.Errorf("vector %q: %w", v.Name, err)
		}
		if v.Sum, err = hash.OfRaw(s.schema, v.Config); err != nil {
			return nil, fmt.Errorf("vector %q: %w", v.Name, err)
		}
		g.Vectors = append(g.Vectors, v)
	}
	content, err := json.MarshalIndent(g, "", "  ")
	return append(content, '\n'), err
}

// readable are the vectors that are not refused. That some are has been accepted when the file is written.
func (s *subject) readable(vectors []vector) []vector {
	return slices.DeleteFunc(slices.Clone(vectors), func(v vector) bool {
		_, err := hash.OfRaw(s.schema, v.Config)
		return err != nil
	})
}

// merged adds the vectors whose names are new.
func merged(first, more []vector) []vector {
	all := slices.Clone(first)
	for _, w := range more {
		if !slices.ContainsFunc(all, func(v vector) bool { return v.Name == w.Name }) {
			all = append(all, w)
		}
	}
	return all
}

func compacted(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
