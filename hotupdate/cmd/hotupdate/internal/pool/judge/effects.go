package judge

import (
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/verdict"
)

// Raise adds a verdict: the result is at least as grave.
func (c *Comparison) Raise(v verdict.Verdict) {
	number, staying := c.parts()
	if v.IsOfNumber() {
		number = max(number, v)
	} else {
		staying = max(staying, v)
	}
	c.setParts(number, staying)
}

// add adds the verdicts that a finding can become.
func (c *Comparison) add(found *Finding) {
	c.Raise(found.Verdict)
	if !found.Verdict.IsOfNumber() {
		c.May = c.May.And(found.Becomes())
	}
}

// parts are the verdict on the number of machines, and the verdict on the machines that stay.
func (c *Comparison) parts() (number, staying verdict.Verdict) {
	number = verdict.None
	staying = verdict.None
	for _, v := range c.Effects() {
		if v.IsOfNumber() {
			number = v
		} else {
			staying = v
		}
	}
	return number, staying
}

// Staying returns the verdict on the machines that stay.
func (c *Comparison) Staying() verdict.Verdict {
	_, staying := c.parts()
	return staying
}

// setParts sets the verdict and the second verdict. There is no second verdict if the change is
// refused or removes the pool.
func (c *Comparison) setParts(number, staying verdict.Verdict) {
	c.Verdict = max(number, staying)
	c.Also = nil
	other := min(number, staying)
	isAll := c.Verdict == verdict.Forbidden || c.Verdict == verdict.Removed
	if other != verdict.None && !isAll {
		c.Also = []verdict.Verdict{other}
	}
}

// Effects returns the verdict and the second verdict.
func (c *Comparison) Effects() []verdict.Verdict {
	return append([]verdict.Verdict{c.Verdict}, c.Also...)
}

// has reports whether a verdict is among the effects.
func (c *Comparison) has(v verdict.Verdict) bool {
	return v != verdict.None && slices.Contains(c.Effects(), v)
}

// SetDeciding marks the changes each of which alone leads to one of the effects.
func (c *Comparison) SetDeciding() {
	for i := range c.Changes {
		c.Changes[i].Decides = c.has(c.Changes[i].Verdict)
	}
}

// decide replaces an indeterminate verdict that can only become one verdict, and adds the certain
// effects to the answers of each question.
func (c *Comparison) decide() {
	c.May = c.PossibleStaying()
	if number, staying := c.parts(); staying == verdict.Indeterminate && c.May.IsOne() {
		c.setParts(number, c.May.Mildest())
	}
	sure := c.May.Mildest()
	var all []verdict.Question
	for _, question := range verdict.Merged(c.Questions) {
		if beside := question.Beside(sure); beside.Asks() {
			all = append(all, beside)
		}
	}
	c.Questions = all
}

// PossibleStaying returns the verdicts on the machines that stay that can come true once all facts are known.
func (c *Comparison) PossibleStaying() verdict.Set {
	_, staying := c.parts()
	switch {
	case !c.May.IsEmpty():
		return c.May
	case staying == verdict.Indeterminate:
		return verdict.Any()
	}
	return verdict.Only(staying)
}

// Possible returns the verdicts that can come true once all facts are known. A graver verdict on
// the number of machines does not hide the verdicts on the machines that stay.
func (c *Comparison) Possible() verdict.Set {
	number, _ := c.parts()
	may := c.PossibleStaying()
	switch {
	case may.IsOne():
		return verdict.Only(c.Verdict)
	case number != verdict.None:
		return may.Or(verdict.Only(number))
	}
	return may
}
