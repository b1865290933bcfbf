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
)

// Load reads a former result: a report in JSON, or JSON lines.
func Load(file string) (*Report, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, manifest.InFile(file, err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	r, err := load(in)
	if err == nil {
		err = r.check()
	}
	return r, manifest.InFile(file, err)
}

func load(in io.Reader) (*Report, error) {
	var total *Report
	var pools []*JudgedPool
	var unreadable []Unreadable
	decoder := json.NewDecoder(in)
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) && total != nil {
			total.Pools, total.Unreadable = append(total.Pools, pools...), append(total.Unreadable, unreadable...)
			return total, nil
		}
		l := line{JudgedPool: &JudgedPool{}}
		switch wrong := json.Unmarshal(raw, &l); {
		case wrong == nil && l.Report != nil:
			total = l.Report
		case wrong == nil && l.Unreadable != nil:
			unreadable = append(unreadable, *l.Unreadable)
		case wrong == nil && l.Verdict != "":
			pools = append(pools, l.JudgedPool)
		case err == nil:
			total = newReport("", "")
			total.FormatVersion = 0
			err = json.Unmarshal(raw, total)
		}
		if err != nil {
			return nil,
				fmt.Errorf("is no result of hotupdate audit in JSON or JSON lines: value %d is malformed or missing; "+
					"it may be cut off", n)
		}
	}
}

// check refuses a result that cannot be shown.
func (r *Report) check() error {
	if r.FormatVersion != FormatVersion {
		return fmt.Errorf("has formatVersion %d; this release knows %d", r.FormatVersion, FormatVersion)
	}
	if slices.Contains(r.Causes, nil) || slices.Contains(r.Eras, nil) || slices.Contains(r.Pools, nil) {
		return errors.New("has a cause, an era or a pool that is null")
	}
	for _, p := range r.Pools {
		if !slices.Contains(Verdicts(), p.Verdict) {
			return fmt.Errorf("has a pool with the unknown verdict %q", p.Verdict)
		}
	}
	return nil
}

// eachFinding yields the listed pools that are not unchanged. A result that shows only some
// verdicts does not list all of them.
func (r *Report) eachFinding(do func(p *JudgedPool)) error {
	unlisted := r.Verdicts.Total().Pools - r.Verdicts[Unchanged].Pools
	for _, p := range r.Pools {
		if p.Verdict != Unchanged {
			unlisted--
			do(p)
		}
	}
	if unlisted != 0 {
		return errors.New("does not list all findings; write it without --only")
	}
	return nil
}

// Merge merges the results of several audits into one report. Known findings apply to all of them;
// known may be nil.
func Merge(all []*Report, known *Known) (*Report, error) {
	merged := newReport("", "")
	for _, one := range all {
		merged.merge(one)
		if known == nil {
			continue
		}
		err := one.eachFinding(func(p *JudgedPool) {
			if why := known.why(p); p.Known == "" && why != "" {
				p.Known = why
				merged.Known.add(p.Verdict, p.count())
			}
		})
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", one.Old, one.New, err)
		}
	}
	merged.finish(known)
	return merged, nil
}

// joined adds a name to a list of names.
func joined(names, name string) string {
	if slices.Contains(strings.Split(names, ", "), name) {
		return names
	}
	return strings.TrimPrefix(names+", "+name, ", ")
}

func (r *Report) merge(one *Report) {
	r.Old, r.New = joined(r.Old, one.Old), joined(r.New, one.New)
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
	r.Pools, r.Unreadable = append(r.Pools, one.Pools...), append(r.Unreadable, one.Unreadable...)
	r.Remarks = append(r.Remarks, one.Remarks...)
}

func (c Counts) merge(more Counts) {
	for v, count := range more {
		c.add(v, count)
	}
}
