package tags

// Call is what one call takes, in tests of batches.
type Call struct{ Resources, Tags int }

func Clouds() []Cloud { return []Cloud{AWS, Azure, GCP, OpenStack, AliCloud} }

// Calls returns the limits of the calls that set and that remove.
func (r *Rules) Calls() (set, remove Call) {
	remove = Call{r.ResourcesPerCall, r.TagsPerCall}
	if r.removalsPerCall != 0 {
		remove.Tags = r.removalsPerCall
	}
	return Call{r.ResourcesPerCall, r.TagsPerCall}, remove
}

// Limit sets the limits of calls.
func (r *Rules) Limit(resources, set, remove int) {
	r.ResourcesPerCall = resources
	r.TagsPerCall = set
	r.removalsPerCall = remove
}

func (r *Rules) Uncounted() []string { return r.uncounted }

// LeavesOutEmpty reports whether Sanitize leaves out keys with an empty value.
func (r *Rules) LeavesOutEmpty() bool { return r.cleaning.dropEmpty }

// SetsFirst reports whether a plan sets before it removes.
func (p *ResourcePlan) SetsFirst() bool { return p.setFirst }

// InOrder returns a plan that sets before it removes, or after.
func InOrder(p ResourcePlan, setsFirst bool) ResourcePlan {
	p.setFirst = setsFirst
	return p
}
