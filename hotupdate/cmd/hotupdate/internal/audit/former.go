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

// Load reads a former result: a report in JSON, or JSON lines. Lines without the last one are the result of an audit that was killed.
func Load(file string) (*Report, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, manifest.InFile(file, err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	r, err := load(in)
	return r, manifest.InFile(file, err)
}

// formerLine is a line of JSON lines, or a whole report.
type formerLine struct {
	FormatVersion int             `json:"formatVersion"`
	Report        *Report         `json:"report"`
	Unreadable    json.RawMessage `json:"unreadable"`
	Verdict       Verdict         `json:"verdict"`
}

func load(in io.Reader) (*Report, error) {
	lines := newReport("", "")
	var total *Report
	decoder := json.NewDecoder(in)
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) && n > 1 {
			break
		}
		var l formerLine
		if err != nil || json.Unmarshal(raw, &l) != nil {
			return nil, fmt.Errorf("is no result of hotupdate audit in JSON or JSON lines: value %d is malformed or cut off", n)
		}
		switch {
		case l.FormatVersion != 0:
			total = newReport("", "")
			err = json.Unmarshal(raw, total)
		case l.Report != nil:
			total = l.Report
		case l.Verdict != "":
			lines.Pools = append(lines.Pools, &Pool{})
			err = json.Unmarshal(raw, lines.Pools[len(lines.Pools)-1])
		case l.Unreadable != nil:
			lines.Unreadable = append(lines.Unreadable, Unreadable{})
			err = json.Unmarshal(l.Unreadable, &lines.Unreadable[len(lines.Unreadable)-1])
		default:
			return nil, fmt.Errorf("is no result of hotupdate audit: value %d is something else", n)
		}
		if err != nil {
			return nil, fmt.Errorf("is no result of hotupdate audit: value %d: %w", n, err)
		}
	}
	return lines.under(total)
}

// under returns the total with what stood in lines before it. Without a total the pools are counted.
func (r *Report) under(total *Report) (*Report, error) {
	if total == nil {
		total = newReport("", "")
		total.Partial = true
		for _, p := range r.Pools {
			total.add(p)
		}
	}
	if total.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("has formatVersion %d; this release knows %d", total.FormatVersion, FormatVersion)
	}
	if slices.Contains(total.Causes, nil) || slices.Contains(total.Eras, nil) || slices.Contains(total.Pools, nil) {
		return nil, errors.New("has a cause, an era or a pool that is null")
	}
	total.Pools, total.Unreadable = append(total.Pools, r.Pools...), append(total.Unreadable, r.Unreadable...)
	for _, p := range total.Pools {
		if !slices.Contains(Verdicts(), p.Verdict) {
			return nil, fmt.Errorf("has a pool with the unknown verdict %q", p.Verdict)
		}
	}
	return total, nil
}

// findings are the pools that something happens to. Not all of them are listed in a result that shows only some verdicts.
func (r *Report) findings() ([]*Pool, error) {
	var all []*Pool
	for _, p := range r.Pools {
		if p.Verdict != Unchanged {
			all = append(all, p)
		}
	}
	if len(all) != r.Verdicts.Total().Pools-r.Verdicts.Of(Unchanged).Pools {
		return nil, errors.New("does not list all findings; write it without --only")
	}
	return all, nil
}

// Merge makes one report of the results of several audits.
func Merge(all []*Report, known []Known) (*Report, error) {
	merged := newReport("", "")
	for _, one := range all {
		merged.Old, merged.New = joined(merged.Old, one.Old), joined(merged.New, one.New)
		merged.merge(one)
		if len(known) == 0 {
			continue
		}
		findings, err := one.findings()
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", one.Old, one.New, err)
		}
		for _, p := range findings {
			merged.setKnown(p, whyKnown(known, p))
		}
	}
	merged.finish(known)
	return merged, nil
}

// joined adds a name to a list of names.
func joined(names, name string) string {
	switch {
	case names == "":
		return name
	case slices.Contains(strings.Split(names, ", "), name):
		return names
	default:
		return names + ", " + name
	}
}

func (r *Report) merge(one *Report) {
	r.Partial = r.Partial || one.Partial
	r.Objects.Read += one.Objects.Read
	r.Objects.Judged += one.Objects.Judged
	for skip, n := range one.Objects.Skipped {
		r.Objects.Skipped[skip] += n
	}
	r.Verdicts.merge(one.Verdicts)
	r.Known.merge(one.Known)
	r.Gone += one.Gone
	for _, d := range Dimensions() {
		for value, counts := range one.Groups[d] {
			for v, count := range counts {
				addTo(r.Groups[d], value, v, count)
			}
		}
	}
	for _, c := range one.Causes {
		c.identify()
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

// setKnown notes that a finding that has been counted is no news.
func (r *Report) setKnown(p *Pool, why string) {
	if why == "" || p.Known != "" {
		return
	}
	p.Known = why
	r.Known.add(p.Verdict, p.count())
	for _, cause := range p.causes() {
		if c := r.causes[cause.causeKey]; c != nil {
			c.Known++
		}
	}
}

// Baseline holds the findings of a former result.
type Baseline struct {
	file     string
	findings map[string]bool // whether it was found again
}

// LoadBaseline reads a former result.
func LoadBaseline(file string) (*Baseline, error) {
	r, err := Load(file)
	if err != nil {
		return nil, err
	}
	findings, err := r.findings()
	b := &Baseline{file, map[string]bool{}}
	for _, p := range findings {
		b.findings[p.finding()] = false
	}
	return b, manifest.InFile(file, err)
}

// Known says that a finding is in the baseline: the pool has the same verdict for the same reasons.
func (b *Baseline) Known(p *Pool) string {
	finding := p.finding()
	if _, known := b.findings[finding]; !known {
		return ""
	}
	b.findings[finding] = true
	return "as in " + b.file
}

// finish counts the findings that were not found again.
func (b *Baseline) finish(r *Report) {
	for _, found := range b.findings {
		if !found {
			r.Gone++
		}
	}
}

// finding identifies what is found about a pool.
func (p *Pool) finding() string {
	parts := []string{p.Kind, p.Namespace, p.Name, p.Pool, string(p.Verdict)}
	var causes []string
	for _, c := range p.causes() {
		causes = append(causes, strings.Join([]string{c.Path, c.Finding, c.Code, c.OldEra, c.NewEra, c.words}, "\x01"))
	}
	slices.Sort(causes)
	return strings.Join(append(parts, causes...), "\x00")
}
