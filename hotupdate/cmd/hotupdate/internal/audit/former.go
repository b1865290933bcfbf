package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/report"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// load reads a former result: a report in JSON, or JSON lines.
func load(file string) (*report.Report, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, manifest.InFile(file, err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	r, err := decode(in)
	if err == nil {
		err = check(r)
	}
	return r, manifest.InFile(file, err)
}

func decode(in io.Reader) (*report.Report, error) {
	var total *report.Report
	var manifests []report.ManifestReport // of the lines before the last one
	var notJudged []report.NotJudged
	decoder := json.NewDecoder(in)
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		l := line{ManifestReport: &report.ManifestReport{}}
		if err == nil && json.Unmarshal(raw, &l) != nil { // no line, but a whole report
			l.Report = report.NewFleet("")
			l.Report.FormatVersion = 0
			err = json.Unmarshal(raw, l.Report)
		}
		switch {
		case errors.Is(err, io.EOF) && total != nil:
			total.Manifests = append(total.Manifests, manifests...)
			total.NotJudged = append(total.NotJudged, notJudged...)
			return total, nil
		case err != nil:
			return nil,
				fmt.Errorf("is not a result of hotupdate audit in JSON or JSON lines: value %d is malformed or "+
					"missing; it may be cut off", n)
		case l.Report != nil:
			total = l.Report
		case l.NotJudged != nil:
			notJudged = append(notJudged, *l.NotJudged)
		case l.Verdict != "":
			manifests = append(manifests, *l.ManifestReport)
		default:
			total = &report.Report{} // some other object, which has no formatVersion
		}
	}
}

// check refuses a result that cannot be shown.
func check(r *report.Report) error {
	switch {
	case r.FormatVersion != report.FormatVersion:
		return fmt.Errorf("has formatVersion %d, but this release reads %d; write the result with this release",
			r.FormatVersion, report.FormatVersion)
	case r.Command != "audit":
		return fmt.Errorf("is a result of %s; give one of hotupdate audit", cmp.Or(r.Command, "another command"))
	case r.Fleet == nil:
		return errors.New("does not count the objects; write the result with this release")
	}
	words := []string{}
	for _, p := range poolsOf(r) {
		words = append(words, p.Verdict)
	}
	for i := range r.Causes {
		words = append(words, r.Causes[i].Verdict)
	}
	for _, word := range words {
		if !slices.Contains(verdict.Words(verdict.OfReleases()), word) {
			return fmt.Errorf("has a pool with the unknown verdict %q", word)
		}
	}
	return nil
}

// poolsOf are the listed pools.
func poolsOf(r *report.Report) (listed []*JudgedPool) {
	for i := range r.Manifests {
		of := r.Manifests[i]
		pools := of.Pools
		of.Pools = []report.PoolReport{}
		for _, p := range pools {
			listed = append(listed, &JudgedPool{p, &of})
		}
	}
	return listed
}

// findingsOf are the listed pools that are not unchanged. A result that shows only some verdicts does
// not list all of them.
func findingsOf(r *report.Report) ([]*JudgedPool, error) {
	isUnchanged := func(p *JudgedPool) bool { return p.Verdict == unchanged }
	all := slices.DeleteFunc(poolsOf(r), isUnchanged)
	want := 0
	for _, s := range r.Sum {
		if s.Verdict != unchanged {
			want += s.Pools
		}
	}
	if len(all) != want {
		return nil, errors.New("does not list all findings; write it without --only")
	}
	return all, nil
}

// Merge merges former results, in files, into one report. Known findings apply to all of them. It
// calls a function for every listed pool.
func Merge(files []string, known *Known, each func(*JudgedPool) error) (*report.Report, error) {
	merged := newTally("", "", "")
	var pools []*JudgedPool
	problems := make([]error, len(files))
	for i, file := range files {
		one, err := load(file)
		if err == nil {
			listed := poolsOf(one)
			err = manifest.InFile(file, merged.merge(one, listed, known))
			pools = append(pools, listed...)
		}
		problems[i] = err
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	for _, p := range pools {
		if err := each(p); err != nil {
			return nil, err
		}
	}
	return merged.finish(known), nil
}

// joined adds a name to a list of names.
func joined(names, name string) string {
	if slices.Contains(strings.Split(names, ", "), name) {
		return names
	}
	return strings.TrimPrefix(names+", "+name, ", ")
}

// merge adds a former result. Its listed pools become accepted where their findings are known.
func (t *tally) merge(one *report.Report, listed []*JudgedPool, known *Known) error {
	if t.Compared.Old == "" {
		t.SetUnit(one.Unit)
	} else if t.Unit != one.Unit {
		t.SetUnit("") // objects count as pools
	}
	t.Compared.Old = joined(t.Compared.Old, one.Compared.Old)
	t.Compared.New = joined(t.Compared.New, one.Compared.New)
	t.Partial = t.Partial || one.Partial
	t.Machines += one.Machines
	t.Objects.Read += one.Objects.Read
	t.Objects.Judged += one.Objects.Judged
	for skip, n := range one.Objects.Skipped {
		t.Objects.Skipped[skip] += n
	}
	for _, s := range one.Sum {
		t.verdicts.Add(s.Verdict, s.Count)
	}
	for _, d := range report.Dimensions() {
		for value, counts := range one.Groups[d] {
			group(t.Groups[d], value).Merge(counts)
		}
	}
	for _, s := range one.Eras {
		t.addSpan(s)
	}
	for _, a := range one.Assumptions {
		t.assumed[a.Assumption] += a.Pools
	}
	t.NotJudged = append(t.NotJudged, one.NotJudged...)
	t.Warnings = append(t.Warnings, one.Warnings...)
	return t.mergeCauses(one, listed, known)
}

// mergeCauses adds the causes of a former result. If findings are known, it counts them anew from the listed pools.
func (t *tally) mergeCauses(one *report.Report, listed []*JudgedPool, known *Known) error {
	if known.isEmpty() {
		for i := range one.Causes {
			t.addCause(&one.Causes[i])
		}
		return nil
	}
	if _, err := findingsOf(one); err != nil {
		return err
	}
	for _, p := range listed {
		if p.Verdict == unchanged {
			continue
		}
		if why := known.why(p); p.Accepted == "" && why != "" {
			p.Accepted = why
			t.addCount(p, report.Count{Accepted: 1})
		}
		t.addCauses(p)
	}
	return nil
}
