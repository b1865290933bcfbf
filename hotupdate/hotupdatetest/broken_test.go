package hotupdatetest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/hotupdatetest"
)

// Each type here breaks one guarantee on purpose.

// randomOrder prints a map as text in the order in which Go happens to walk it.
type randomOrder map[string]string

func (r randomOrder) MarshalText() ([]byte, error) {
	var pairs []string
	for k, v := range r {
		pairs = append(pairs, k+"="+v)
	}
	return []byte(strings.Join(pairs, ",")), nil
}

func (r *randomOrder) UnmarshalText(text []byte) error {
	*r = randomOrder{}
	for pair := range strings.SplitSeq(string(text), ",") {
		k, v, _ := strings.Cut(pair, "=")
		(*r)[k] = v
	}
	return nil
}

// byAddress writes where it is.
type byAddress struct{ Text *string }

func (b *byAddress) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%p", b.Text)) }
func (b *byAddress) UnmarshalJSON([]byte) error   { return nil }

// byClock writes when it is.
type byClock struct{ Text string }

func (b byClock) MarshalJSON() ([]byte, error) {
	return json.Marshal(b.Text + time.Now().Format(time.RFC3339Nano))
}
func (b *byClock) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &b.Text) }

var calls atomic.Int64

// byCounter writes how often anything was written.
type byCounter struct{ Text string }

func (b byCounter) MarshalJSON() ([]byte, error)     { return json.Marshal(calls.Add(1)) }
func (b *byCounter) UnmarshalJSON(data []byte) error { return nil }

// lossy forgets one of its fields.
type lossy struct{ Name, Zone string }

func (l lossy) MarshalText() ([]byte, error) { return []byte(l.Name), nil }
func (l *lossy) UnmarshalText(text []byte) error {
	l.Name = string(text)
	return nil
}

// disagreeing reads something else than it writes.
type disagreeing struct{ Size int }

func (d disagreeing) MarshalJSON() ([]byte, error) { return json.Marshal(d.Size) }
func (d *disagreeing) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &d.Size); err != nil {
		return err
	}
	d.Size++
	return nil
}

// deaf reads nothing of what it writes.
type deaf struct{ Text string }

func (d deaf) MarshalText() ([]byte, error)     { return []byte("<" + d.Text + ">"), nil }
func (d *deaf) UnmarshalText(text []byte) error { return errors.New("no") }

// mute has no unmarshaler at all.
type mute struct{ Text string }

func (m mute) MarshalText() ([]byte, error) { return []byte(m.Text), nil }

// sortsItself changes while it is written.
type sortsItself struct{ Names []string }

func (s *sortsItself) MarshalJSON() ([]byte, error) {
	sort.Strings(s.Names)
	return json.Marshal(s.Names)
}
func (s *sortsItself) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &s.Names) }

// panicking panics for some values.
type panicking struct{ Size int }

func (p panicking) MarshalJSON() ([]byte, error) {
	if p.Size == 3 {
		panic("three")
	}
	return json.Marshal(p.Size)
}
func (p *panicking) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &p.Size) }

// sharing is copied by a DeepCopy that is none.
type sharing struct{ names map[string]string }

func (s sharing) MarshalJSON() ([]byte, error)     { return json.Marshal(s.names) }
func (s *sharing) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &s.names) }
func (s sharing) DeepCopy() sharing                { return s }

// uncopyable can be copied by nobody.
type uncopyable struct{ at func() string }

func (u uncopyable) MarshalJSON() ([]byte, error) { return []byte(`"a"`), nil }

// forgetful is copied by a DeepCopy that forgets something.
type forgetful struct{ Names []string }

func (f forgetful) MarshalJSON() ([]byte, error)     { return json.Marshal(f.Names) }
func (f *forgetful) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &f.Names) }
func (f forgetful) DeepCopy() forgetful              { return forgetful{} }

// unread is lossy, and nobody can guess what it reads.
type unread struct{ region, zone string }

func (u unread) MarshalText() ([]byte, error) { return []byte(u.region), nil }
func (u *unread) UnmarshalText(text []byte) error {
	var ok bool
	if u.region, u.zone, ok = strings.Cut(string(text), "/"); !ok && len(text) > 0 {
		return errors.New("want REGION/ZONE")
	}
	return nil
}

// rounding forgets digits.
type rounding float64

func (r rounding) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%.1f", float64(r)), nil }

func (r *rounding) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*float64)(r)) }

// truncating forgets white space.
type truncating struct{ Text string }

func (r truncating) MarshalText() ([]byte, error)     { return []byte(strings.TrimSpace(r.Text)), nil }
func (r *truncating) UnmarshalText(text []byte) error { r.Text = string(text); return nil }

// percentless forgets the sign of percentages, of which one value in eighty is one.
type percentless struct{ Text string }

func (p percentless) MarshalText() ([]byte, error) {
	return []byte(strings.TrimSuffix(p.Text, "%")), nil
}

func (p *percentless) UnmarshalText(text []byte) error {
	p.Text = string(text)
	return nil
}

// incomparable has a method Equal that fails for what was read.
type incomparable struct {
	Text  string
	cache *string
}

func (c incomparable) MarshalText() ([]byte, error) { return []byte(c.Text), nil }
func (c *incomparable) UnmarshalText(text []byte) error {
	c.Text = string(text)
	c.cache = new(string)
	return nil
}
func (c incomparable) Equal(other incomparable) bool { return *c.cache == *other.cache }

// inField has the type under test in an immutable and in a hot field.
type inField[V any] struct {
	Label V  `json:"label"`
	Hot   *V `json:"hot,omitempty" hotupdatable:"true"`
}

// sharedCopy has a DeepCopy that copies no list.
type sharedCopy struct {
	Zones []string          `json:"zones,omitempty"`
	Tags  map[string]string `json:"tags,omitempty"  hotupdatable:"true"`
}

func (s *sharedCopy) DeepCopy() *sharedCopy {
	if s == nil {
		return nil
	}
	return &sharedCopy{Zones: append([]string(nil), s.Zones...), Tags: s.Tags}
}

// shortCopy has a DeepCopy that forgets a new field.
type shortCopy struct {
	Zones []string `json:"zones,omitempty"`
	Size  *int32   `json:"size,omitempty"`
}

func (s *shortCopy) DeepCopy() *shortCopy {
	return &shortCopy{Zones: append([]string(nil), s.Zones...)}
}

// panickingCopy has a DeepCopy that panics for values that are not complete.
type panickingCopy struct {
	Size *int32 `json:"size,omitempty"`
}

func (p *panickingCopy) DeepCopy() *panickingCopy {
	size := *p.Size
	return &panickingCopy{&size}
}

// reads has its own idea of what its JSON means.
type reads struct {
	Volume readsVolume `json:"volume"`
}

type readsVolume struct {
	Size int32 `json:"size,omitempty"`
}

func (r *readsVolume) UnmarshalJSON([]byte) error {
	r.Size = 0
	return nil
}

// loosely accepts whatever it is given.
type loosely struct {
	Size int32 `json:"size,omitempty"`
}

func (l *loosely) UnmarshalJSON(data []byte) error {
	var m struct {
		Size int32 `json:"size"`
	}
	err := json.Unmarshal(data, &m)
	l.Size = m.Size
	return err
}

// defaulted has a default that its defaulter fills in and its struct tag does not declare.
type defaulted struct {
	Declared *string `json:"declared,omitempty" hotupdatable:"false,default=interface"`
	Type     *string `json:"type,omitempty"`
	Hot      *string `json:"hot,omitempty"      hotupdatable:"true"`
}

func declaredDefaults(d *defaulted) {
	for _, field := range []**string{&d.Declared, &d.Hot} {
		if *field == nil {
			text := "interface"
			*field = &text
		}
	}
}

func undeclaredDefaults(d *defaulted) {
	declaredDefaults(d)
	if d.Type == nil {
		text := "interface"
		d.Type = &text
	}
}

// TestBrokenTypesAreCaught: for each type that breaks a guarantee, the guarantee is named, and the field to blame.
func TestBrokenTypesAreCaught(t *testing.T) {
	for _, tc := range []struct {
		name      string
		run       func(t rapid.TB)
		guarantee string
		path      string
		reason    string
	}{
		{"randomOrder", check[inField[randomOrder]], "OneHash", "label: one configuration has several hashes", "a map has no order"},
		{"byAddress", check[inField[byAddress]], "OneHash", "label: one configuration has several hashes", "a copy stands somewhere else"},
		{"byClock", check[inField[byClock]], "OneHash", "label: one configuration has several hashes", "time passes"},
		{"byCounter", check[inField[byCounter]], "OneHash", "label: one configuration has several hashes", "state outside of the value"},
		{
			"lossy", check[inField[lossy]], "MarshalersReadWhatTheyWrite", ": hotupdatetest_test.lossy loses something",
			"two zones, one hash",
		},
		{
			"disagreeing", check[inField[disagreeing]], "MarshalersReadWhatTheyWrite", "reads what it wrote as something else",
			"raw JSON and value differ",
		},
		{
			"disagreeing raw", check[inField[disagreeing]], "RawJSONAgrees", "label: a configuration and its JSON have different hashes",
			"raw JSON and value differ",
		},
		{"deaf", check[inField[deaf]], "MarshalersReadWhatTheyWrite", "does not read what it writes", "raw JSON is refused"},
		{"mute", check[inField[mute]], "MarshalersReadWhatTheyWrite", "does not read what it writes", "raw JSON is refused"},
		{
			"sortsItself", check[inField[sortsItself]], "OneHash", "a configuration is changed when it is hashed",
			"a data race between two hashes",
		},
		{"panicking", func(t rapid.TB) {
			hotupdatetest.Check[inField[panicking]](t, hotupdatetest.WithValues("label", panicking{2}, panicking{3}))
		}, "OneHash", "label: a configuration cannot be hashed", "a value that the tester says is valid"},
		{
			"sharing", check[inField[sharing]], "SplitMerges", ".names: a projection of Split shares memory",
			"a projection that is written changes its source",
		},
		{"uncopyable", func(t rapid.TB) {
			hotupdatetest.Check[inField[uncopyable]](t, hotupdatetest.WithValues("label", uncopyable{func() string { return "" }}))
		}, "SplitMerges", "cannot be split", "Split must not share memory"},
		{
			"forgetful", check[inField[forgetful]], "SplitMerges", "a DeepCopy must allocate everything anew",
			"the projection is another configuration",
		},
		{
			"sharedCopy", check[sharedCopy], "CopiesShareNoMemory", "tags: DeepCopy returns a copy that shares memory",
			"controllers write into copies",
		},
		{
			"shortCopy", check[shortCopy], "CopiesShareNoMemory", "size: DeepCopy returns another configuration",
			"a field that was forgotten",
		},
		{"panickingCopy", check[panickingCopy], "CopiesShareNoMemory", "DeepCopy panics", "an optional field"},
		{
			"reads", check[reads], "RawJSONAgrees", "volume.size: a configuration and its JSON have different hashes",
			"the reader ignores the field",
		},
		{
			"loosely", check[loosely], "RawJSONAgrees", "JSON with a member that the type does not have is accepted",
			"a typo would be ignored silently",
		},
		{"undeclared default", func(t rapid.TB) {
			hotupdatetest.Check[defaulted](t, hotupdatetest.WithDefaulter(undeclaredDefaults))
		}, "DefaultsKeepTheHash", "type: the defaulting function changes the hash", "Gardener issue 11416 the other way round"},
		{
			"rounding", check[inField[rounding]], "MarshalersReadWhatTheyWrite", ": hotupdatetest_test.rounding loses something",
			"two numbers, one hash",
		},
		{
			"truncating", check[inField[truncating]], "MarshalersReadWhatTheyWrite", "hotupdatetest_test.truncating loses something",
			"two texts, one hash",
		},
		{
			"percentless", check[inField[percentless]], "MarshalersReadWhatTheyWrite", "hotupdatetest_test.percentless loses something",
			"whatever the seed",
		},
		{
			"incomparable", check[inField[incomparable]], "MarshalersReadWhatTheyWrite",
			": hotupdatetest_test.incomparable panics when it is compared", "a nil pointer",
		},
		{"panicking default", func(t rapid.TB) {
			hotupdatetest.Check[defaulted](t, hotupdatetest.WithDefaulter(func(d *defaulted) { *d.Type = "" }))
		}, "DefaultsKeepTheHash", "the defaulting function panics", "an optional field"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := record(t, tc.run)
			for _, report := range r.errors {
				if strings.Contains(report, "guarantee: "+tc.guarantee+"\n") && strings.Contains(report, tc.path) {
					return
				}
			}
			t.Errorf("%s: want %s and %q, got:\n%s", tc.reason, tc.guarantee, tc.path, r.text())
		})
	}
}

func check[C any](t rapid.TB) { hotupdatetest.Check[C](t) }

// TestTypesThatCannotBeTriedAreTold: a type of which nothing but the zero value can be made is no type for which the guarantees hold.
func TestTypesThatCannotBeTriedAreTold(t *testing.T) {
	for _, tc := range []struct {
		name   string
		run    func(t rapid.TB)
		want   string
		reason string
	}{
		{
			"field", check[inField[unread]],
			"inField[github.com/hotupdate/providerconfig/hotupdate/hotupdatetest_test.unread]: hot: no two values of hotupdatetest_test.unread could be made",
			"in one report for both fields",
		},
		{"elements", check[struct {
			Zones []*unread `json:"zones"`
		}], "zones[]: no two values of hotupdatetest_test.unread", "below a list"},
		{"interface", check[struct {
			Err error `json:"err"`
		}], "err: no two values of error could be made", "it would be nil in every trial"},
		{"map keys", check[struct {
			Zones map[unread]string `json:"zones"`
		}], `zones: no two values of hotupdatetest_test.unread could be made, so the guarantees cannot be tried; give some with WithValues("zones", …)`, "keys are written as well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if r := record(t, tc.run); len(r.errors) != 1 || !strings.Contains(r.text(), tc.want) {
				t.Errorf("%s: want one report with %q, got %d:\n%s", tc.reason, tc.want, len(r.errors), r.text())
			}
		})
	}
	r := record(t, func(t rapid.TB) {
		hotupdatetest.Check[inField[unread]](t, hotupdatetest.WithValues("label", "a/a"), hotupdatetest.WithValues("hot", unread{"a", "a"}))
	})
	if strings.Contains(r.text(), "could be made") || !strings.Contains(r.text(), "does not read what it writes") {
		t.Errorf("want the breach and no more, got:\n%s", r.text())
	}
}

// TestDefaultsHaveTheirHint: what was filled in has another hint than what was overwritten, and a list is no reason to say less.
func TestDefaultsHaveTheirHint(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fill   func(c *before)
		want   string
		reason string
	}{
		{"list", func(c *before) {
			if c.Zones == nil {
				c.Zones = []string{"a"}
			}
		}, "zones[0]: the defaulting function changes the hash; if it fills in the same scalar", "a list was filled in"},
		{"overwritten", func(c *before) {
			if c.Volume != nil && c.Volume.Kind != "" {
				c.Volume.Kind = "a"
			}
		}, "volume.kind: the defaulting function changes what was set, and with it the hash; let it fill in only what is not set", "no default at all"},
		{"secret", func(c *before) {
			if c.Token == "" {
				c.Token = "hunter2"
			}
		}, "token: the defaulting function changes the hash", "it may be a secret"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := record(t, func(t rapid.TB) { hotupdatetest.Check[before](t, hotupdatetest.WithDefaulter(tc.fill)) })
			if !strings.Contains(r.text(), tc.want) || strings.Contains(r.text(), "hunter2") {
				t.Errorf("%s: want %q, got:\n%s", tc.reason, tc.want, r.text())
			}
		})
	}
}

// TestDeclaredDefaultsPass: a defaulter that fills in what the struct tags declare, and hot fields, raises no alarm.
func TestDeclaredDefaultsPass(t *testing.T) {
	hotupdatetest.Check[defaulted](t, hotupdatetest.WithDefaulter(declaredDefaults))
}
