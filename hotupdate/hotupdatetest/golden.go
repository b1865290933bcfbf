package hotupdatetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
	sigsjson "sigs.k8s.io/json"

	"github.com/hotupdate/providerconfig/hotupdate"
)

const goldenFormat = 1

type golden struct {
	FormatVersion int             `json:"formatVersion"`
	Schema        json.RawMessage `json:"schema"`
	Vectors       []vector        `json:"vectors"`
}

// vector is a configuration with its recorded document and hash.
type vector struct {
	Name     string          `json:"name"`
	Config   json.RawMessage `json:"config"`
	Document json.RawMessage `json:"document"`
	Sum      hotupdate.Sum   `json:"sum"`
}

// Golden compares type C with a file that holds its Schema and the hashes of fixed configurations.
// The file belongs in version control, so that a release that would rename a pool cannot be built
// unnoticed.
//
// A difference is explained in words: what changed in which field, and what that does to an
// unchanged fleet. The explanation names every finding of [hotupdate.Compatibility], and each
// vector whose hash changed or which is refused. A vector also shows changes that no Schema shows,
// such as different output of a marshaler.
//
// The file is written, and written anew, with the flag of [UpdateFlag]:
//   - -update writes it only if no hash changes and nothing is refused; otherwise the test fails,
//     with the explanation.
//   - -update=roll writes it in any case. It drops recorded vectors that the type refuses. A Schema
//     that has named pools has to live on in an era (see [hash.Eras]), so keep the old file.
//
// Both write a file that does not exist. It gets one vector for each field that has a value.
// Vectors in the file stay as long as they can be read, so that a vector outlives the release that
// wrote it. A vector that is added to the file by hand, with name and config, is completed by
// -update=roll.
func Golden[C any](t rapid.TB, file string, options ...Option) {
	t.Helper()
	s := subjectOf[C](t, options)
	if s == nil {
		return
	}
	if err := s.golden(file); err != nil {
		t.Errorf("hotupdatetest: %v: %v", s.typ, err)
	}
}

func (s *subject) golden(file string) error {
	written, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if s.update == verify {
			return misuse(file, "does not exist", "run the test with -update, see UpdateFlag, and commit the file")
		}
		return s.write(file, nil)
	}
	if err != nil {
		return err
	}
	recorded, err := readGolden(file, written)
	if err != nil {
		return err
	}
	all, isGrave, err := s.differences(recorded)
	if err != nil {
		return err
	}
	switch {
	case s.update == updateRolling || s.update == updateHarmless && !isGrave:
		return s.write(file, recorded.Vectors)
	case isGrave:
		return explain(file, all,
			"undo the change; or, if it has to be, keep the old Schema in an era, see hash.Eras, and "+
				"run with -update=roll")
	case len(all) > 0:
		return explain(file, all, "none of it rolls a pool; run the test with -update")
	}
	want, err := s.content(recorded.Vectors)
	if err != nil || bytes.Equal(want, written) {
		return err
	}
	return misuse(file, "is equivalent, but incomplete or written differently",
		"run the test with -update")
}

func readGolden(file string, written []byte) (*golden, error) {
	recorded := &golden{}
	if strict, err := sigsjson.UnmarshalStrict(written, recorded); err != nil || len(strict) > 0 {
		return nil, misuse(file, "is not a golden file: "+errors.Join(append(strict, err)...).Error(),
			"restore it from version control")
	}
	if v := recorded.FormatVersion; v != goldenFormat {
		what := fmt.Sprintf("has formatVersion %d, but this release reads %d", v, goldenFormat)
		return nil, misuse(file, what, "use a release that knows it")
	}
	return recorded, nil
}

// differences says how the type differs from what was recorded, and whether that rolls a pool or
// refuses a configuration.
func (s *subject) differences(recorded *golden) (texts []string, isGrave bool, err error) {
	fingerprint, err := s.schema.Fingerprint()
	if err != nil {
		return nil, false, err
	}
	isSame := bytes.Contains(recorded.Schema, []byte(`"`+fingerprint+`"`))
	if old, err := hotupdate.LoadSchema(recorded.Schema); err == nil {
		findings, _ := hotupdate.Compatibility(old, s.schema) // both are there
		for _, f := range findings {
			texts = append(texts, f.String())
			isGrave = isGrave || !f.Harmless()
		}
	} else if !isSame {
		const recursive = "the Schema is another, and the type contains itself, so that fields cannot be compared"
		texts = []string{recursive}
		isGrave = true
	}
	for _, v := range recorded.Vectors {
		if d := s.vectorDifference(v, recorded.Schema); d != "" {
			texts = append(texts, d)
			isGrave = true
		}
	}
	return texts, isGrave, nil
}

// vectorDifference says how a vector's hash differs from the recorded hash.
func (s *subject) vectorDifference(v vector, schema json.RawMessage) string {
	now, err := s.hashed(v)
	switch {
	case err != nil:
		return fmt.Sprintf("vector %q: is refused: %v", v.Name, err)
	case now.Sum == v.Sum:
		return ""
	}
	const format = "vector %q: has another hash: a pool like it rolls unless an era of the old Schema stays"
	text := fmt.Sprintf(format, v.Name)
	if path := s.blame(v.Document, now.Document); path != "" {
		text += "; look at " + path
	}
	if was := canonical(v.Document); !s.plan.Root.HidesBelow && !bytes.Contains(schema, []byte(`"sensitive":`)) {
		text += fmt.Sprintf("\n  was %s\n  is  %s", was, now.Document)
	}
	return text
}

func explain(file string, differences []string, advice string) error {
	list := strings.Join(differences, "\n- ")
	//nolint:err113 // shown to the tester, not handled
	return errors.New(file + ": the type differs from the recorded type:\n- " + list + "\n" + advice)
}

func (s *subject) write(file string, recorded []vector) error {
	content, err := s.content(recorded)
	if err != nil {
		return err
	}
	const readable = 0o755 // like all source code
	if err := os.MkdirAll(filepath.Dir(file), readable); err != nil {
		return err
	}
	return os.WriteFile(file, content, readable&^0o111)
}

// content is the file as it should be: the Schema, the recorded vectors that are not refused, and
// one for each field.
func (s *subject) content(recorded []vector) ([]byte, error) {
	exported, err := s.schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	g := golden{FormatVersion: goldenFormat, Schema: exported}
	for _, v := range slices.Concat(recorded, s.sampleVectors()) {
		isThere := slices.ContainsFunc(g.Vectors, func(w vector) bool { return v.Name == w.Name })
		if v, err := s.hashed(v); err == nil && !isThere {
			g.Vectors = append(g.Vectors, v)
		}
	}
	content, err := json.MarshalIndent(g, "", "  ")
	return append(content, '\n'), err
}

func (s *subject) hashed(v vector) (_ vector, err error) {
	if v.Document, err = s.schema.DocumentRaw(v.Config); err != nil {
		return v, err
	}
	v.Sum, err = s.schema.HashRaw(v.Config)
	return v, err
}
