package gardener

import (
	"reflect"
	"slices"

	"github.com/hotupdate/providerconfig/hotupdate/gardener/internal/gardenerplugin"
)

// flag is a part of a landscape's configuration.
type flag struct {
	name string
	set  func(*gardenerplugin.Landscape)
}

// flags are what may decide about machines, by Gardener's names.
var flags = []flag{
	{
		"useGKEFormula of the admission plugin ShootResourceReservation",
		func(l *gardenerplugin.Landscape) { l.UseGKEFormula = true },
	},
	{
		"the admission plugin ShootNodeLocalDNSEnabledByDefault",
		func(l *gardenerplugin.Landscape) { l.NodeLocalDNSByDefault = true },
	},
}

// landscapes are all that are tried. The first is Gardener's default.
var landscapes = func() []gardenerplugin.Landscape {
	all := []gardenerplugin.Landscape{{}}
	for _, f := range flags {
		for _, l := range all {
			f.set(&l)
			all = append(all, l)
		}
	}
	return all
}()

// byDefault is Gardener's default.
var byDefault = landscapes[0]

// joined joins outcomes that are the same. It keeps their order.
func joined(outcomes []gardenerplugin.Outcome) (merged []gardenerplugin.Outcome) {
	for _, o := range outcomes {
		i := slices.IndexFunc(merged, func(known gardenerplugin.Outcome) bool {
			return reflect.DeepEqual(changesOf(known), changesOf(o))
		})
		if i < 0 {
			merged = append(merged, o)
			continue
		}
		merged[i].Landscapes = append(merged[i].Landscapes, o.Landscapes...)
	}
	return merged
}

// changesOf is an outcome without what differs between landscapes although the change has the same
// effect.
func changesOf(o gardenerplugin.Outcome) gardenerplugin.Outcome {
	o.Landscapes = nil
	o.Pools = slices.Clone(o.Pools)
	for i := range o.Pools {
		p := &o.Pools[i]
		p.OldKey = ""
		p.NewKey = ""
		p.OldHash = ""
		p.NewHash = ""
	}
	return o
}

// dependsOn returns the flags that decide among outcomes: setting one of them alone leads to another
// outcome.
func dependsOn(outcomes []gardenerplugin.Outcome) (names []string) {
	of := map[gardenerplugin.Landscape]int{}
	for i, o := range outcomes {
		for _, l := range o.Landscapes {
			of[l] = i
		}
	}
	for _, f := range flags {
		decides := slices.ContainsFunc(landscapes, func(l gardenerplugin.Landscape) bool {
			with := l
			f.set(&with)
			return of[l] != of[with]
		})
		if decides {
			names = append(names, f.name)
		}
	}
	return names
}
