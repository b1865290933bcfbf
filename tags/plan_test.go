package tags_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/internal/effort"
	"github.com/hotupdate/providerconfig/tags"
)

// parse reads "a=1 b=" as a map. Nothing is nil.
func parse(text string) map[string]string {
	var m map[string]string
	for pair := range strings.FieldsSeq(text) {
		if m == nil {
			m = map[string]string{}
		}
		key, value, _ := strings.Cut(pair, "=")
		m[key] = value
	}
	return m
}

// pairs writes infrastructure tags as " a=1 b=".
func pairs(all []tags.Tag) string {
	var b strings.Builder
	for _, tag := range all {
		b.WriteString(" " + tag.Key + "=" + tag.Value)
	}
	return b.String()
}

// show writes a plan as "set a=1; remove b=2; takeover a; rewritten a; kept c; RemoveFirst", without what is empty;
// what sets before it removes is the rule.
func show(p tags.ResourcePlan) string {
	var parts []string
	list := func(verb string, all []tags.Tag) {
		if len(all) > 0 {
			parts = append(parts, verb+pairs(all))
		}
	}
	list("set", p.Set)
	list("remove", p.Remove)
	keys := func(noun string, all []string) {
		if len(all) > 0 {
			parts = append(parts, noun+" "+strings.Join(all, " "))
		}
	}
	keys("takeover", p.Takeover)
	keys("rewritten", p.Rewritten)
	keys("kept", p.Kept)
	if !p.SetsFirst() {
		parts = append(parts, "RemoveFirst")
	}
	return strings.Join(parts, "; ")
}

var planTests = []struct {
	name      string
	cloud     tags.Cloud
	kind      tags.Kind
	applied   string
	attempted []string
	desired   string
	mandatory string
	live      string
	want      string
	reason    string
}{
	{"nothing", tags.AWS, tags.VM, "", nil, "", "", "f=x", "", "foreign keys are not looked at"},
	{"first time", tags.AWS, tags.VM, "", []string{"a=1"}, "a=1", "", "", "set a=1", "desired and not live"},
	{"settled", tags.AWS, tags.VM, "a=1", nil, "a=1", "", "a=1 f=x", "", "nothing to do"},
	{"changed", tags.AWS, tags.VM, "a=1", []string{"a=2"}, "a=2", "", "a=1", "set a=2", "desired with another value"},
	{"changed is no takeover", tags.AWS, tags.VM, "a=1", nil, "a=2", "", "a=1", "set a=2", "the live value is ours"},
	{"dropped", tags.AWS, tags.VM, "a=1 b=2", []string{"a=1"}, "a=1", "", "a=1 b=2", "remove b=2", "owned and not desired"},
	{"dropped all", tags.AWS, tags.VM, "a=1", []string{""}, "", "", "a=1", "remove a=1", "an empty spec is an attempted removal"},
	{"drifted away", tags.AWS, tags.VM, "a=1", nil, "a=1", "", "", "set a=1", "somebody deleted a desired key"},
	{
		"drifted to another value", tags.AWS, tags.VM, "a=1", nil, "a=1", "", "a=x", "set a=1; takeover a; rewritten a",
		"somebody changed a desired key that was applied, and loses the value",
	},
	{
		"changed by both", tags.AWS, tags.VM, "a=1", nil, "a=2", "", "a=x", "set a=2; takeover a",
		"the value to set was not applied before, so nobody has rewritten it",
	},
	{
		"an attempt is live", tags.AWS, tags.VM, "a=1",
		[]string{"a=2"},
		"a=1", "", "a=2", "set a=1",
		"a late request of ours, and not another writer",
	},

	{
		"re-created by somebody", tags.AWS, tags.VM, "a=1",
		[]string{""},
		"", "", "a=x", "",
		"ownership is kind, key and value: it is theirs now",
	},
	{"never owned", tags.AWS, tags.VM, "", nil, "", "", "a=1", "", "keys dropped before adoption are foreign for ever"},
	{
		"takeover", tags.AWS, tags.VM, "", nil, "a=1", "", "a=x", "set a=1; takeover a",
		"a desired key becomes ours, and the user hears of it",
	},
	{"same value by chance", tags.AWS, tags.VM, "", nil, "a=1", "", "a=1", "", "a value that others set equal to ours is ours"},
	{"empty value is a value", tags.AWS, tags.VM, "a=", []string{""}, "", "", "a=1", "", "owned is the empty value, live is not"},
	{"empty value removed", tags.AWS, tags.VM, "a=", []string{""}, "", "", "a=", "remove a=", "guarded on the empty value"},

	{
		"edge case 1: reverted after a partial failure", tags.AWS, tags.VM, "a=1",
		[]string{"a=2 b=2"},
		"a=1", "", "a=2 b=2",
		"set a=1; remove b=2", "hot-update proposal, Edge-Case-1: S3 equals S1, but S2 is half-applied",
	},
	{
		"edge case 2: the read does not show the attempt", tags.AWS, tags.VM, "a=1",
		[]string{"a=2 b=2"},
		"a=1", "", "a=1", "",
		"reads lag: the pass that confirms sees the attempt, which is owned until then",
	},
	{
		"live is right", tags.AWS, tags.VM, "",
		[]string{"a=1"},
		"a=1", "", "a=1", "",
		"an earlier attempt may still land, before the pass that confirms",
	},
	{
		"attempted removal was reverted", tags.AWS, tags.VM, "a=1",
		[]string{""},
		"a=1", "", "a=1", "",
		"the removal may still land, before the pass that confirms",
	},
	{
		"same on all sides", tags.AWS, tags.VM, "a=1 b=1",
		[]string{"a=1 b=2", "a=1"},
		"a=1", "", "a=1 b=1", "remove b=1",
		"only what is live is removed",
	},
	{
		"several attempts, live of an old one", tags.AWS, tags.VM, "",
		[]string{"a=1", "a=2", "a=3"},
		"", "", "a=2", "remove a=2",
		"each attempt is owned",
	},
	{"unseen", tags.AWS, tags.VM, "a=1", []string{"a=1"}, "", "", "", "", "there is nothing to remove"},
	{
		"unseen attempt", tags.AWS, tags.VM, "",
		[]string{"a=1"},
		"", "", "", "",
		"it may have landed after the read: the pass that confirms sees it",
	},
	{
		"unseen attempt beneath a foreign value", tags.AWS, tags.VM, "",
		[]string{"a=1"},
		"", "", "a=x", "",
		"somebody's value is live: the key is theirs",
	},
	{
		"unseen attempt, no condition", tags.AliCloud, tags.VM, "",
		[]string{"a=1"},
		"", "", "", "",
		"without a condition the removal could hit somebody's key; the second pass sees it",
	},
	{
		"unseen attempt, version", tags.GCP, tags.VM, "",
		[]string{"a=1"},
		"", "", "", "",
		"the write carries the version of the read, so what is unseen is not there",
	},
	{"seen attempt, no condition", tags.AliCloud, tags.VM, "", []string{"a=1"}, "", "", "a=1", "remove a=1", "live shows an owned value"},
	{
		"confirmed second pass", tags.AliCloud, tags.VM, "",
		[]string{"", "a=1"},
		"", "", "a=1", "remove a=1",
		"after a success the former last-applied stays among the attempts",
	},

	{
		"mandatory is set", tags.AWS, tags.VM, "", nil, "a=1", "kubernetes.io/cluster/c=1", "", "set a=1 kubernetes.io/cluster/c=1",
		"mandatory keys are merged",
	},
	{"mandatory is restored", tags.AWS, tags.VM, "", nil, "", "Name=m", "Name=x", "set Name=m; takeover Name", "somebody overwrote it"},
	{"mandatory is last", tags.AWS, tags.VM, "Name=u", nil, "Name=u", "Name=m", "Name=u", "set Name=m", "the mandatory value wins"},
	{
		"mandatory is never removed", tags.AWS, tags.VM, "kubernetes.io/cluster/c=1",
		[]string{""},
		"", "kubernetes.io/cluster/c=1",
		"kubernetes.io/cluster/c=1", "", "owned, since flat specs hold it, but mandatory",
	},
	{
		"forgotten mandatory is not removed", tags.AWS, tags.VM, "kubernetes.io/cluster/c=1 Name=n a=1",
		[]string{""},
		"", "",
		"kubernetes.io/cluster/c=1 Name=n a=1", "remove a=1",
		"MCM would lose the VM, so reserved keys stay even if the caller forgets them",
	},
	{"system keys are not removed", tags.AWS, tags.VM, "aws:x=1", []string{""}, "", "", "aws:x=1", "", "AWS would refuse the whole call"},
	{
		"foreign cluster key", tags.AWS, tags.VM, "", nil, "", "kubernetes.io/cluster/c=1",
		"kubernetes.io/cluster/c=1 kubernetes.io/cluster/other=1", "", "it is not ours to judge",
	},

	{"keys only: one is live", tags.GCP, tags.Network, "a=", []string{"a= b="}, "a= b=", "m=", "a= f=", "set b= m=", "values are empty"},
	{"keys only: removed", tags.GCP, tags.Network, "a= b=", []string{"b="}, "b=", "", "a= b= f=", "remove a=", "owned by key"},
	{
		"keys only: re-created by somebody", tags.GCP, tags.Network, "a=",
		[]string{""},
		"", "", "a=", "remove a=",
		"no value tells theirs from ours: documented",
	},
	{
		"keys only: values mean nothing", tags.GCP, tags.Network, "a=old", nil, "a=new", "", "a=", "",
		"a value that slipped in changes nothing",
	},
	{"keys only: no takeover", tags.GCP, tags.Network, "", nil, "a=", "", "a=", "", "no value is lost"},

	{"folded: one key", tags.Azure, tags.VM, "CostCenter=1", nil, "costcenter=1", "", "CostCenter=1", "", "only the spelling changed"},
	{
		"folded: set as it is spelled", tags.Azure, tags.VM, "CostCenter=1", nil, "costcenter=2", "", "COSTCENTER=1", "set COSTCENTER=2",
		"two spellings in one write would be one key twice",
	},
	{
		"folded: rewritten", tags.Azure, tags.VM, "costCenter=1", nil, "costcenter=1", "", "COSTCENTER=x",
		"set COSTCENTER=1; takeover COSTCENTER; rewritten COSTCENTER", "applied by another spelling",
	},
	{
		"folded: rewritten, applied by two spellings", tags.Azure, tags.VM, "A=2 a=1", nil, "a=2", "", "a=x",
		"set a=2; takeover a; rewritten a", "one of them has the value",
	},
	{
		"mandatory is rewritten", tags.AWS, tags.VM, "Name=m", nil, "Name=m", "Name=m", "Name=x",
		"set Name=m; takeover Name; rewritten Name", "a flat spec holds it, too",
	},
	{
		"folded: owned", tags.Azure, tags.VM, "CostCenter=1",
		[]string{""},
		"", "", "COSTCENTER=1", "remove COSTCENTER=1",
		"ours by another spelling",
	},
	{"folded: re-created by somebody", tags.Azure, tags.VM, "CostCenter=1", []string{""}, "", "", "costcenter=x", "", "theirs by value"},
	{"folded: mandatory is last", tags.Azure, tags.VM, "", nil, "name=u", "Name=m", "", "set Name=m", "one key, and it is mandatory"},
	{"folded: mandatory is never removed", tags.Azure, tags.VM, "name=m", []string{""}, "", "Name=m", "NAME=m", "", "one key"},
	{
		"folded: attempted by another spelling", tags.Azure, tags.VM, "A=1",
		[]string{"a=1"},
		"a=1", "", "A=1", "",
		"the attempt wrote the same key and value",
	},
	{
		"folded: history with two spellings", tags.Azure, tags.VM, "A=1 a=2",
		[]string{""},
		"", "", "a=2", "remove a=2",
		"both values are owned",
	},
	{
		"folded: beyond ASCII", tags.Azure, tags.VM, "größe=1",
		[]string{""},
		"", "", "GRÖßE=1", "remove GRÖßE=1",
		"Unicode's simple folding",
	},

	{
		"several spellings: all ours", tags.OpenStack, tags.VM, "foo=1 Foo=2",
		[]string{""},
		"", "", "foo=1 Foo=2", "remove Foo=2 foo=1",
		"deleting one deletes both",
	},
	{
		"several spellings: one is theirs", tags.OpenStack, tags.VM, "foo=1",
		[]string{""},
		"", "", "foo=1 Foo=x", "",
		"deleting ours would delete theirs: Nova spec lowercase-metadata-keys",
	},
	{
		"several spellings: wanted", tags.OpenStack, tags.VM, "foo=1", nil, "foo=1", "", "FOO=x Foo=x foo=1", "",
		"the wanted spelling stands for the key",
	},
	{
		"several spellings: wanted, and folded", tags.OpenStack, tags.VM, "", nil, "FOO=1", "", "Foo=x foo=y", "set foo=1; takeover foo",
		"the folded spelling stands for the key",
	},
	{
		"several spellings: wanted by another", tags.OpenStack, tags.VM, "", nil, "foo=1", "", "FOO=x Foo=y", "set FOO=1; takeover FOO",
		"without the folded spelling the smallest one stands for the key, so that chance has no say",
	},
}

func TestPlan(t *testing.T) {
	for _, test := range planTests {
		t.Run(test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, test.kind)
			state := tags.PlanInput{
				Recorded: []map[string]string{parse(test.applied)}, Applied: parse(test.applied), Desired: parse(test.desired),
				Mandatory: parse(test.mandatory),
			}
			for _, attempt := range test.attempted {
				state.Recorded = append(state.Recorded, parse(attempt))
			}
			plans, err := rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": parse(test.live)})
			if err != nil {
				t.Fatal(err)
			}
			if got := show(plans[0]); got != test.want {
				t.Errorf("got  %q\nwant %q: %s", got, test.want, test.reason)
			}
		})
	}
}

// TestAnyValue: the value of a key that AnyValue names is left to others; whose the key is does not change by that.
func TestAnyValue(t *testing.T) {
	for _, test := range []struct {
		name      string
		cloud     tags.Cloud
		patterns  string
		applied   string
		attempted string
		desired   string
		mandatory string
		live      string
		want      string
		reason    string
	}{
		{"missing", tags.AWS, "a", "", "", "a=1", "", "f=x", "set a=1", "the key is set where it is missing"},
		{"equal", tags.AWS, "a", "a=1", "", "a=1", "", "a=1", "", "nothing to do"},
		{
			"rewritten by a policy", tags.AWS, "a", "a=1", "", "a=1", "", "a=x", "",
			"any value is right, so nothing is written at a verification",
		},
		{
			"adopted", tags.AWS, "a", "", "a=1", "a=1", "", "a=x", "kept a",
			"never overwritten, and people hear that the spec's value is not there",
		},
		{"another value in the spec", tags.AWS, "a", "a=1", "a=2", "a=2", "", "a=x", "kept a", "the change does not reach the resource"},
		{
			"another value in the spec, ours is live", tags.AWS, "a", "a=1", "a=2", "a=2", "", "a=1", "kept a",
			"not even a value of ours is overwritten",
		},
		{"another value in the spec, live already", tags.AWS, "a", "a=1", "a=2", "a=2", "", "a=2", "", "nothing is kept"},
		{
			"another key is not named", tags.AWS, "a", "a=1 b=1", "", "a=1 b=1", "", "a=x b=x", "set b=1; takeover b; rewritten b",
			"only named keys are left",
		},
		{
			"pattern", tags.AWS, "finops-* *-owner", "", "", "finops-x=1 the-owner=1 b=1", "", "finops-x=2 the-owner=2 b=2",
			"set b=1; takeover b; kept finops-x the-owner", "a * at an end of a pattern",
		},
		{"case counts", tags.AWS, "Team", "team=1", "", "team=1", "", "team=x", "set team=1; takeover team; rewritten team", "another key"},
		{"case is ignored", tags.Azure, "Team", "team=1", "", "team=1", "", "TEAM=x", "", "one key"},
		{"several spellings", tags.OpenStack, "foo", "", "", "foo=1", "", "FOO=x Foo=y", "kept FOO", "whichever stands for the key"},
		{
			"mandatory", tags.AWS, "*cluster* Name", "Name=m", "", "", "kubernetes.io/cluster/c=1 Name=m",
			"kubernetes.io/cluster/c=x Name=x",
			"set Name=m kubernetes.io/cluster/c=1; takeover Name kubernetes.io/cluster/c; rewritten Name",
			"MCM finds the machine by their values",
		},

		{"no longer desired, ours", tags.AWS, "a", "a=1", "", "", "", "a=1", "remove a=1", "the live value is owned"},
		{"no longer desired, theirs", tags.AWS, "a", "a=1", "", "", "", "a=x", "", "with a value of others the key is theirs"},
		{
			"no longer desired, after a change that was kept", tags.AWS, "a", "a=2", "", "", "", "a=1", "",
			"the former value is recorded no longer: documented",
		},
		{
			"no longer desired, while the change is unconfirmed", tags.AWS, "a", "a=2", "a=1", "", "", "a=1", "remove a=1",
			"the former value is still recorded",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, tags.VM)
			rules.AnyValue = strings.Fields(test.patterns)
			state := tags.PlanInput{
				Recorded: []map[string]string{parse(test.applied), parse(test.attempted)}, Applied: parse(test.applied),
				Desired: parse(test.desired), Mandatory: parse(test.mandatory),
			}
			plans, err := rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": parse(test.live)})
			if err != nil {
				t.Fatal(err)
			}
			if got := show(plans[0]); got != test.want {
				t.Errorf("got  %q\nwant %q: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestPlanResources(t *testing.T) {
	rules := rulesOf(t, tags.AWS, tags.Disk)
	live := map[string]map[string]string{"vol-root": parse("a=1"), "vol-csi": parse("a=1 old=1"), "vol-data": parse("a=x old=1")}
	plans, err := rules.Plan(
		tags.PlanInput{Recorded: []map[string]string{parse("old=1")}, Desired: parse("a=1")},
		[]string{"vol-root", "vol-new", "vol-data", "vol-root"}, live,
	)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, plan := range plans {
		got = append(got, plan.Resource+": "+show(plan))
	}
	want := []string{
		"vol-data: set a=1; remove old=1; takeover a",
		"vol-new: set a=1",
		"vol-root: ",
	}
	if !slices.Equal(got, want) {
		t.Errorf(
			"got\n%s\nwant, sorted, each once, new ones without tags, and never the CSI volume\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"),
		)
	}
}

func TestPlanOfNoResources(t *testing.T) {
	plans, err := rulesOf(t, tags.AWS, tags.VM).Plan(tags.PlanInput{Desired: parse("a=1")}, nil, nil)
	if err != nil || len(plans) != 0 {
		t.Errorf("got %v, %v; want nothing", plans, err)
	}
}

// codesOf returns the codes and keys of joined errors.
func codesOf(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if problem, ok := errors.AsType[*fault.Error](err); ok {
			return []string{strings.TrimSpace(problem.Code + " " + strings.Trim(problem.Path, `"`))}
		}
		return nil
	}
	var codes []string
	for _, inner := range joined.Unwrap() {
		codes = append(codes, codesOf(inner)...)
	}
	return codes
}

func TestPlanErrors(t *testing.T) {
	tests := []struct {
		name               string
		cloud              tags.Cloud
		desired, mandatory string
		want               []string
		reason             string
	}{
		{"clash", tags.Azure, "a=1 A=1 b=1", "", []string{"unusable-key [A]", "unusable-key [a]"}, "one of them would be lost"},
		{"no clash where case counts", tags.AWS, "a=1 A=1", "", nil, "two keys"},
		{
			"clash in mandatory", tags.Azure, "", "Name=1 name=2",
			[]string{"unusable-key [Name]", "unusable-key [name]"},
			"one of them would be lost",
		},
		{"no clash with mandatory", tags.Azure, "NAME=1 name=2", "Name=3", nil, "mandatory keys are merged last"},
		{
			"cluster key", tags.AWS, "kubernetes.io/cluster/other=1", "kubernetes.io/cluster/c=1",
			[]string{"unusable-key [kubernetes.io/cluster/other]"},
			"the VM would be deleted",
		},
		{
			"cluster key that is mandatory", tags.AWS, "kubernetes.io/cluster/c=1", "kubernetes.io/cluster/c=1", nil,
			"flat specs hold it too",
		},
		{
			"all at once", tags.Azure, "Kubernetes.io-Role-x=1 AzureX=1 a=1 A=2", "",
			[]string{"unusable-key [A]", "unusable-key [AzureX]", "unusable-key [Kubernetes.io-Role-x]", "unusable-key [a]"},
			"every problem, as it was spelled",
		},
		{"driver's key", tags.AWS, "Name=n", "", []string{"unusable-key [Name]"}, "the caller forgot to pass it as mandatory"},
		{
			"two clusters", tags.AWS, "", "kubernetes.io/cluster/a= kubernetes.io/cluster/b=",
			[]string{"unusable-key [kubernetes.io/cluster/a]", "unusable-key [kubernetes.io/cluster/b]"},
			"two MCMs would claim the VM",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, tags.VM)
			plans, err := rules.Plan(tags.PlanInput{Desired: parse(test.desired), Mandatory: parse(test.mandatory)}, []string{"r"}, nil)
			if got := codesOf(err); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v: %s", got, test.want, test.reason)
			}
			if err != nil && plans != nil {
				t.Error("there are plans beside an error")
			}
		})
	}
}

func TestPlanLimit(t *testing.T) {
	tests := []struct {
		name                              string
		cloud                             tags.Cloud
		applied, desired, mandatory, live string
		want                              string // of a plan, or the code of an error
		reason                            string
	}{
		{"fits", tags.AWS, "", "a=1 b=1", "m=1", "f=x", "set a=1 b=1 m=1", "4 of 4"},
		{"does not fit", tags.AWS, "", "a=1 b=1 c=1", "m=1", "f=x", "over-limit r", "5 of 4: mandatory and foreign keys count"},
		{"update fits", tags.AWS, "", "a=1 b=1 c=1", "m=1", "a=x b=x c=x m=1", "set a=1 b=1 c=1; takeover a b c", "no key is added"},
		{
			"limit binds", tags.AWS, "a=1", "b=1", "", "a=1 f=x g=x h=x", "set b=1; remove a=1; RemoveFirst",
			"there is no room for b before a is gone",
		},
		{
			"limit does not bind", tags.AWS, "a=1", "b=1", "", "a=1 f=x g=x", "set b=1; remove a=1",
			"nothing that replaces something is missing for a moment",
		},
		{"system keys do not count", tags.AWS, "", "a=1 b=1", "m=1", "f=x aws:1= AWS:2=", "set a=1 b=1 m=1", "AWS does not count them"},
		{"other spellings count", tags.OpenStack, "", "a=1 b=1", "", "c=1 C=1 A=x", "set A=1 b=1; takeover A", "4 of 4"},
		{"other spellings exceed", tags.OpenStack, "", "a=1 b=1", "", "c=1 C=1 A=x a=x", "over-limit r", "5 of 4: A stays beside a"},
		{
			"removal beyond the limit", tags.AWS, "a=1", "", "", "a=1 b=1 c=1 d=1 e=1 f=1", "remove a=1; RemoveFirst",
			"a quota that was lowered must not keep us from removing",
		},
		{"update beyond the limit", tags.AWS, "", "a=1", "", "a=x b=1 c=1 d=1 e=1", "set a=1; takeover a; RemoveFirst", "no key is added"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, tags.VM)
			rules.MaxTags = 4
			state := tags.PlanInput{
				Recorded: []map[string]string{parse(test.applied)}, Desired: parse(test.desired), Mandatory: parse(test.mandatory),
			}
			plans, err := rules.Plan(state, []string{"r"}, map[string]map[string]string{"r": parse(test.live)})
			got := strings.Join(codesOf(err), " ")
			if err == nil {
				got = show(plans[0])
			}
			if got != test.want {
				t.Errorf("got  %q\nwant %q: %s", got, test.want, test.reason)
			}
		})
	}
}

// The order of a map must not show: not in lists, not in the choice among spellings, not in errors.
func TestPlanIsDeterministic(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	rules.MaxTags = 12
	state := tags.PlanInput{
		Recorded:  []map[string]string{parse("ab=1 AB=2 Ab=3 cd=1"), parse("aB=4 Cd=5"), nil},
		Desired:   parse("ef=1 gh=2 ij=3"),
		Mandatory: parse("Name=m"),
	}
	live := map[string]map[string]string{
		"r1": parse("AB=1 Ab=2 aB=3 EF=x Ef=y eF=z GH=1 name=x"), "r2": parse("CD=1 Cd=5 cD=1 NAME=m NAMe=x"),
	}
	clashing := state
	clashing.Desired = parse("AB=1 Ab=2 aB=3 ab=4 kubernetes.io-role-x=1 azure-a=1 Azure-b=1")
	var first string
	for range 50 {
		plans, err := rules.Plan(state, []string{"r2", "r1"}, live)
		if err != nil {
			t.Fatal(err)
		}
		_, err = rules.Plan(clashing, []string{"r2", "r1"}, live)
		text := show(plans[0]) + "\n" + show(plans[1]) + "\n" + err.Error()
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("two results:\n%s\n%s", first, text)
		}
	}
}

// A resource that does not fit must not leave the others half-applied.
func TestPlanLimitOfOneResourceStopsAll(t *testing.T) {
	rules := rulesOf(t, tags.AWS, tags.VM)
	rules.MaxTags = 2
	live := map[string]map[string]string{"r1": nil, "r2": parse("f=x g=x"), "r3": parse("f=x g=x")}
	plans, err := rules.Plan(tags.PlanInput{Desired: parse("a=1")}, []string{"r1", "r2", "r3"}, live)
	if got, want := codesOf(err), []string{"over-limit r2", "over-limit r3"}; !slices.Equal(got, want) || plans != nil {
		t.Errorf("got %v and %v, want no plan and %v", plans, got, want)
	}
}

func TestPlanChangesNothingItWasGiven(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	state := tags.PlanInput{Recorded: []map[string]string{parse("a=1"), parse("B=1")}, Desired: parse("b=2"), Mandatory: parse("Name=m")}
	live := map[string]map[string]string{"r2": parse("A=1 name=x"), "r1": nil}
	resources := []string{"r2", "r1"}
	if _, err := rules.Plan(state, resources, live); err != nil {
		t.Fatal(err)
	}
	sameResources := slices.Equal(resources, []string{"r2", "r1"}) && maps.Equal(live["r2"], parse("A=1 name=x"))
	sameRecorded := maps.Equal(state.Recorded[0], parse("a=1")) && maps.Equal(state.Recorded[1], parse("B=1"))
	sameWanted := maps.Equal(state.Desired, parse("b=2")) && maps.Equal(state.Mandatory, parse("Name=m"))
	if !sameResources || !sameRecorded || !sameWanted {
		t.Error("Plan changed its input")
	}
}

func TestApply(t *testing.T) {
	plan := tags.ResourcePlan{
		Set:    []tags.Tag{{Key: "a", Value: "2"}, {Key: "b", Value: ""}},
		Remove: []tags.Tag{{Key: "c", Value: "1"}, {Key: "d", Value: "1"}, {Key: "gone", Value: "1"}},
	}
	live := parse("a=1 c=1 d=x f=x")
	if got, want := plan.Apply(live), parse("a=2 b= d=x f=x"); !maps.Equal(got, want) {
		t.Errorf("Apply = %v, want %v: d has another value than the condition", got, want)
	}
	if !maps.Equal(live, parse("a=1 c=1 d=x f=x")) {
		t.Error("Apply changed live")
	}
}

// One set of rules and one state serve all machines of a class, from many workers.
func TestPlanConcurrently(t *testing.T) {
	l := changedLoad(t, tags.Azure, 20)
	want := show(l.plan(t)[0])
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 20 {
				plans, err := l.rules.Plan(l.state, l.resources, l.live)
				if err != nil || show(plans[0]) != want {
					t.Errorf("got %v, %v; want %q", plans, err, want)
				}
			}
		})
	}
	workers.Wait()
}

// TestPlanIsLinear: where the cloud ignores case, a key may have very many spellings. Each was looked up
// among all recorded ones, which took minutes.
func TestPlanIsLinear(t *testing.T) {
	letters := 14
	if effort.All() {
		letters = 17
	}
	live := map[string]string{}
	applied := map[string]string{}
	for n := range 1 << letters {
		key := []byte(strings.Repeat("k", letters))
		for i := range key {
			if n>>i&1 == 1 {
				key[i] = 'K'
			}
		}
		live[string(key)] = "live"
		applied[string(key)] = "other"
	}
	applied[strings.Repeat("k", letters-1)+"K"] = "live" // the last one in order
	rules, err := tags.Azure.Rules(tags.VM)
	if err != nil {
		t.Fatal(err)
	}
	for last, want := range map[string]int{"live": 1 << letters, "other": 0} { // the value of the last spelling in order
		applied[strings.Repeat("k", letters-1)+"K"] = last
		plans, err := rules.Plan(
			tags.PlanInput{Recorded: []map[string]string{applied}}, []string{"vm"}, map[string]map[string]string{"vm": live},
		)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(plans[0].Remove); got != want {
			t.Errorf("%d spellings are removed, not %d", got, want)
		}
	}
}
