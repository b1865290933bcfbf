package pool

import (
	"errors"
	"strconv"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
)

// problems collects errors, so that all of them are reported at once.
type problems []error

func (p *problems) err() error { return errors.Join(*p...) }

func (p *problems) add(err error) { *p = append(*p, err) }

// fail adds a problem at a path: from the pool on, or from the manifest's root if no pool is named.
func (p *problems) fail(pool, path string, problem fault.Error) {
	problem.Path = path
	switch {
	case pool != "":
		problem.Where = "pool " + strconv.Quote(pool)
	case path == "":
		problem.Where = "manifest"
	}
	p.add(&problem)
}

// found adds what another package found below a path of a pool.
func (p *problems) found(pool, path string, err error) {
	all := fault.All(err)
	if err != nil && len(all) == 0 {
		all = fault.List{{Kind: fault.Failed, Code: "config-failed", What: "cannot be hashed", Cause: err}}
	}
	for _, problem := range all {
		p.fail(pool, joinPaths(path, problem.Path), *problem)
	}
}

// joinPaths returns the path of what lies below another path.
func joinPaths(path, below string) string {
	if path == "" || below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}
