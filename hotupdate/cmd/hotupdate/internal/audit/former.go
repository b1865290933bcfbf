package audit

import (
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
func load(file string) (*Report, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, manifest.InFile(file, err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	r, err := decode(in)
	if err == nil {
		err = r.check()
	}
	return r, manifest.InFile(file, err)
}

func decode(in io.Reader) (*Report, error) {
	var total *Report
	var lines Report // without the last line
	decoder := json.NewDecoder(in)
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		l := line{JudgedPool: &JudgedPool{}}
		if err == nil && json.Unmarshal(raw, &l) != nil { // no line, but a whole report
			l.Report = newReport("", "")
			l.Report.FormatVersion = 0
			err = json.Unmarshal(raw, l.Report)
		}
		switch {
		case errors.Is(err, io.EOF) && total != nil:
			total.Pools = append(total.Pools, lines.Pools...)
			total.Unreadable = append(total.Unreadable, lines.Unreadable...)
			return total, nil
		case err != nil:
			return nil,
				fmt.Errorf("is not a result of hotupdate audit in JSON or JSON lines: value %d is malformed or "+
					"missing; it may be cut off", n)
		case l.Report != nil:
			total = l.Report
		case l.Unreadable != nil:
			lines.Unreadable = append(lines.Unreadable, *l.Unreadable)
		case l.Verdict != "":
			lines.Pools = append(lines.Pools, l.JudgedPool)
		default:
			total = &Report{} // some other object, which has no formatVersion
		}
	}
}

// check refuses a result that cannot be shown.
func (r *Report) check() error {
	if r.FormatVersion != report.FormatVersion {
		return fmt.Errorf("has formatVersion %d, but this release reads %d; write the result with this release",
			r.FormatVersion, report.FormatVersion)
	}
	r.countSum()
	if slices.Contains(r.Causes, nil) || slices.Contains(r.Eras, nil) || slices.Contains(r.Pools, nil) {
		return errors.New("has a cause, an era or a pool that is null")
	}
	for _, p := range r.Pools {
		if !slices.Contains(verdict.Words(verdict.OfReleases()), p.Verdict) {
			return fmt.Errorf("has a pool with the unknown verdict %q", p.Verdict)
		}
	}
	return nil
}

// findings are the listed pools that are not unchanged. A result that shows only some verdicts does
// not list all of them.
func (r *Report) findings() ([]*JudgedPool, error) {
	isUnchanged := func(p *JudgedPool) bool { return p.Verdict == unchanged }
	all := slices.DeleteFunc(slices.Clone(r.Pools), isUnchanged)
	if len(all) != r.Verdicts.Total().Pools-r.Verdicts[unchanged].Pools {
		return nil, errors.New("does not list all findings; write it without --only")
	}
	return all, nil
}

// Merge merges former results, in files, into one report. Known findings apply to all of them. It
// calls a function for every listed pool.
func Merge(files []string, known *Known, each func(*JudgedPool) error) (*Report, error) {
	merged := newReport("", "")
	problems := make([]error, len(files))
	for i, file := range files {
		one, err := load(file)
		if err == nil {
			err = manifest.InFile(file, merged.merge(one, known))
		}
		problems[i] = err
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	merged.finish(known)
	for _, p := range merged.Pools {
		if err := each(p); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

// joined adds a name to a list of names.
func joined(names, name string) string {
	if slices.Contains(strings.Split(names, ", "), name) {
		return names
	}
	return strings.TrimPrefix(names+", "+name, ", ")
}

func (r *Report) merge(one *Report, known *Known) error {
	if r.Compared.Old == "" {
		r.Unit = one.Unit
	} else if r.Unit != one.Unit {
		r.Unit = "" // objects count as pools
	}
	r.Compared.Old = joined(r.Compared.Old, one.Compared.Old)
	r.Compared.New = joined(r.Compared.New, one.Compared.New)
	r.Partial = r.Partial || one.Partial
	r.Objects.Read += one.Objects.Read
	r.Objects.Judged += one.Objects.Judged
	for skip, n := range one.Objects.Skipped {
		r.Objects.Skipped[skip] += n
	}
	r.Verdicts.merge(one.Verdicts)
	r.Known.merge(one.Known)
	for _, d := range Dimensions() {
		for value, counts := range one.Groups[d] {
			group(r.Groups[d], value).merge(counts)
		}
	}
	for _, c := range one.Causes {
		r.addCause(c)
	}
	for _, s := range one.Eras {
		r.addSpan(*s)
	}
	for _, a := range one.Assumptions {
		r.assumed[a.Assumption] += a.Pools
	}
	r.Pools = append(r.Pools, one.Pools...)
	r.Unreadable = append(r.Unreadable, one.Unreadable...)
	r.Remarks = append(r.Remarks, one.Remarks...)
	if known.isEmpty() {
		return nil
	}
	findings, err := one.findings()
	for _, p := range findings {
		if why := known.why(p); p.Known == "" && why != "" {
			p.Known = why
			r.Known.add(p.Verdict, p.count())
		}
	}
	return err
}

func (c Counts) merge(more Counts) {
	for v, count := range more {
		c.add(v, count)
	}
}
