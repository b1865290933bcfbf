package pool

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // time zones are known on every machine

	"github.com/robfig/cron"
	labels "k8s.io/apimachinery/pkg/util/validation"

	"github.com/hotupdate/providerconfig/hash"
	"github.com/hotupdate/providerconfig/internal/leaf"
)

// matches reports whether a value is one of a pattern: values in JSON, - if absent, * for all. A
// pattern that begins with ! has the others.
func matches(pattern string, value any) bool {
	values, isNot := strings.CutPrefix(pattern, "!")
	is := slices.Contains(strings.Split(values, "|"), cmp.Or(textOf(value), "-"))
	return pattern == "*" || is != isNot
}

// limit is a row of [limits] or [Shoot limits].
type limit struct {
	steps, condition []string
	function, text   string
}

var limits = sync.OnceValue(func() map[string][]limit {
	all := map[string][]limit{}
	for _, section := range []string{"limits", "Shoot limits"} {
		for _, row := range sections()[section] {
			all[section] = append(all[section],
				limit{strings.Split(row[0], "."), strings.Fields(row[1]), row[2], row[3]})
		}
	}
	return all
})

// found is a value of a tree, with the path of the field or list that has it, and the object beside
// whose members it stands.
type found struct {
	path      string
	value, in any
}

// valuesAt returns the values at a path of [limits]. An absent value is none, or nil as the member
// of an element of a list.
func valuesAt(value any, steps []string, of found) (all []found) {
	if len(steps) == 0 {
		return []found{{strings.TrimPrefix(of.path, "."), value, of.in}}
	}
	name, isList := strings.CutSuffix(steps[0], "[]")
	path := strings.TrimPrefix(of.path+"."+name, ".")
	switch {
	case isList:
		for _, element := range listOf(at(value, name)) {
			in := element
			if len(steps) == 1 {
				in = value
			}
			all = append(all, found{path, at(element, steps[1:]...), in})
		}
	case name == "*":
		for name, member := range membersOf(value) {
			all = append(all, found{strings.TrimPrefix(of.path+"."+name, "."), member, value})
		}
	case at(value, name) != nil:
		all = valuesAt(at(value, name), steps[1:], found{path: path, in: value})
	}
	return all
}

// subject is a Shoot or a pool whose values have limits.
type subject struct {
	minor   hash.Minor
	workers int
	rolls   bool
	// isDefaulted says that a kubelet's configuration is that of a Shoot, which gets more defaults.
	isDefaulted bool
	in          any // the object that has the value as a member
}

// breaks reports whether a value does not meet a condition of [limits].
func (s subject) breaks(v found, condition []string) bool {
	s.in = v.in
	return conditions[condition[0]](s, v.value, append(slices.Clip(condition[1:]), "", ""))
}

// meets reports whether values beside the one with the limit match patterns: PATH=PATTERN.
func (s subject) meets(patterns []string) bool {
	return !slices.ContainsFunc(patterns, func(one string) bool {
		path, pattern, isPattern := strings.Cut(one, "=")
		return isPattern && !matches(pattern, at(s.in, strings.Split(path, ".")...))
	})
}

// fits reports whether a text matches a regular expression of [limits].
func fits(text, pattern string) bool {
	compiled, isKnown := expressions.Load(pattern)
	if !isKnown {
		compiled, _ = expressions.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return compiled.(*regexp.Regexp).MatchString(text) //nolint:forcetypeassert // it holds nothing else
}

var expressions sync.Map

// condition reports whether a value does not meet a condition of [limits].
type condition = func(s subject, value any, args []string) bool

// bounded is a condition of a number with a limit. Its argument says which numbers do not meet it.
func bounded(breaks func(n, limit float64) bool) condition {
	return func(_ subject, value any, args []string) bool {
		n, is := number(value)
		limit, _ := strconv.ParseFloat(args[0], 64)
		return is && breaks(n, limit)
	}
}

// written is a condition of a text, whose problems a function returns.
func written(problems func(string) []string) condition {
	return func(_ subject, value any, _ []string) bool { return len(problems(text(value))) > 0 }
}

var conditions = map[string]condition{
	"least": bounded(func(n, limit float64) bool { return n < limit }),
	"most":  bounded(func(n, limit float64) bool { return n > limit }),
	"above": bounded(func(n, limit float64) bool { return n <= limit }),
	"below": bounded(func(n, limit float64) bool { return n >= limit }),
	"share": func(_ subject, value any, _ []string) bool {
		n, isNumber := number(value)
		return isNumber && n < 0 || !isNumber && len(labels.IsValidPercent(text(value))) > 0
	},
	"percent":  func(_ subject, value any, _ []string) bool { return percentOf(value) > 100 },
	"duration": func(_ subject, value any, limits []string) bool { return isOutside(value, limits[0], limits[1]) },
	"period": func(_ subject, value any, limits []string) bool { // 0 turns it off
		return isOutside(value, "0s", "0s") && isOutside(value, limits[0], limits[1])
	},
	"quantity": func(_ subject, value any, args []string) bool {
		q, err := leaf.ParseQuantity(strings.Trim(textOf(value), `"`))
		least, _ := leaf.ParseQuantity(cmp.Or(args[0], "0"))
		return err == nil && q.Cmp(least) < 0
	},
	"threshold": func(_ subject, value any, _ []string) bool {
		q, err := leaf.ParseQuantity(text(value))
		return (err != nil || q.Sign() < 0) && (len(labels.IsValidPercent(text(value))) > 0 || percentOf(value) > 100)
	},
	"match":   func(_ subject, value any, args []string) bool { return !fits(text(value), args[0]) },
	"without": func(_ subject, value any, args []string) bool { return fits(text(value), args[0]) },
	"names": func(_ subject, value any, args []string) bool {
		isOther := func(name string) bool { return !fits(name, args[0]) }
		return slices.ContainsFunc(slices.Collect(maps.Keys(membersOf(value))), isOther)
	},
	"never":  func(s subject, _ any, args []string) bool { return s.meets(args) },
	"differ": func(s subject, value any, args []string) bool { return value == at(s.in, args[0]) },
	"length": func(s subject, value any, args []string) bool {
		n := len(listOf(value))
		return s.meets(args[1:]) && n > 0 && strconv.Itoa(n) != args[0]
	},
	"one-of": func(_ subject, value any, args []string) bool { return !slices.Contains(args, text(value)) },
	"list-of": func(_ subject, value any, args []string) bool {
		isOther := func(one string) bool { return !slices.Contains(args, one) }
		return slices.ContainsFunc(strings.Split(text(value), ","), isOther)
	},
	"unique": func(_ subject, value any, members []string) bool { // elements, by members that identify them
		seen := map[string]bool{}
		for _, one := range listOf(value) {
			key := textOf(one)
			if members[0] != "" {
				key = textOf(at(one, members[0])) + " " + textOf(at(one, members[1]))
			}
			seen[key] = true
		}
		return len(seen) < len(listOf(value))
	},
	"distinct": func(_ subject, value any, members []string) bool { // texts of all elements
		seen := map[string]int{}
		for _, one := range listOf(value) {
			for _, name := range members {
				seen[text(at(one, name))]++
			}
		}
		delete(seen, "")
		return len(seen) > 0 && slices.Max(slices.Collect(maps.Values(seen))) > 1
	},
	"cron": func(_ subject, value any, _ []string) bool {
		_, err := cron.ParseStandard(text(value))
		return value != nil && err != nil
	},
	"time-zone": func(_ subject, value any, _ []string) bool {
		_, err := time.LoadLocation(text(value))
		return err != nil
	},
	"label": func(_ subject, value any, _ []string) bool {
		return len(labels.IsDNS1123Label(text(value))) > 0 || len(text(value)) > 15
	},
	"label-value": written(labels.IsValidLabelValue),
	"key": func(_ subject, value any, _ []string) bool {
		const reserved = "node.gardener.cloud/critical-components-not-ready"
		return len(labels.IsQualifiedName(text(value))) > 0 || text(value) == reserved
	},
	"keys": func(_ subject, value any, _ []string) bool {
		isWrong := func(key string) bool { return len(labels.IsQualifiedName(strings.ToLower(key))) > 0 }
		return slices.ContainsFunc(slices.Collect(maps.Keys(membersOf(value))), isWrong)
	},
	"subdomain": written(labels.IsDNS1123Subdomain),
	"network":   func(_ subject, value any, _ []string) bool { return !isNetwork(value) },
	"networks": func(s subject, value any, args []string) bool {
		return s.meets(args) && !slices.ContainsFunc(listOf(value), isNetwork)
	},
	"family": func(s subject, value any, _ []string) bool {
		families, network := listOf(at(s.in, "ipFamilies")), networkOf(value)
		return network.IsValid() && len(families) < 2 && network.Addr().Is6() != slices.Contains(families, any("IPv6"))
	},
	"apart": func(s subject, value any, others []string) bool {
		isOverlap := func(other string) bool { return networkOf(value).Overlaps(networkOf(at(s.in, other))) }
		return s.meets([]string{`ipFamilies=!["IPv6"]`}) && slices.ContainsFunc(others, isOverlap)
	},
	"window": func(s subject, value any, limits []string) bool {
		const layout = "150405-0700"
		_, err := time.Parse(layout, text(value))
		begin, errBegin := time.Parse(layout, text(at(s.in, "begin")))
		end, errEnd := time.Parse(layout, text(at(s.in, "end")))
		length := (end.Sub(begin)%day + day) % day
		return err != nil || errBegin == nil && errEnd == nil && isOutside(length.String(), limits[0], limits[1])
	},
	"thresholds": func(s subject, _ any, _ []string) bool {
		high, isHigh := number(at(s.in, "imageGCHighThresholdPercent"))
		low, isLow := number(at(s.in, "imageGCLowThresholdPercent"))
		if s.isDefaulted && !isHigh {
			high, isHigh = 50, true
		}
		if s.isDefaulted && !isLow {
			low, isLow = 40, true
		}
		return isHigh && isLow && low >= high
	},
	"certificate": func(_ subject, value any, _ []string) bool {
		block, _ := pem.Decode([]byte(text(value)))
		if block == nil || block.Type != "CERTIFICATE" {
			return true
		}
		_, err := x509.ParseCertificate(block.Bytes)
		return err != nil
	},
	"https": func(_ subject, value any, _ []string) bool {
		u, err := url.Parse(text(value))
		return err != nil || u.Scheme != "https" || u.Host == "" || u.Fragment != "" || u.User != nil ||
			u.RawQuery != ""
	},
	"feature-gates":    func(s subject, value any, _ []string) bool { return s.featureGates(value) },
	"admission-plugin": func(s subject, value any, _ []string) bool { return s.admissionPlugin(value) },
	"apis":             func(s subject, value any, _ []string) bool { return s.apis(value) },
	"in-place":         func(s subject, value any, _ []string) bool { return s.rolls && value != false },
	"until": func(s subject, value any, args []string) bool {
		return value != nil && s.minor.Compare(minorOf(args[0])) >= 0
	},
	"from": func(s subject, _ any, args []string) bool {
		return s.minor != hash.Minor{} && s.minor.Compare(minorOf(args[0])) < 0
	},
	"with-workers": func(s subject, _ any, _ []string) bool { return s.workers == 0 },
}

const day = 24 * time.Hour

func isNetwork(value any) bool {
	network := networkOf(value)
	return network.IsValid() && network == network.Masked()
}

// networkOf returns a network; the zero value is none.
func networkOf(value any) netip.Prefix {
	network, _ := netip.ParsePrefix(text(value))
	return network
}

// isOutside reports whether a duration is below a limit or above the other one. A limit may be
// missing.
func isOutside(value any, least, most string) bool {
	d, err := time.ParseDuration(text(value))
	low, _ := time.ParseDuration(least)
	high, noLimit := time.ParseDuration(most)
	return err == nil && (d < low || noLimit == nil && d > high)
}

// percentOf returns a percentage, or 0 for other values.
func percentOf(value any) int {
	percent, ok := strings.CutSuffix(text(value), "%")
	n, err := strconv.Atoi(percent)
	if !ok || err != nil {
		return 0
	}
	return n
}
