package tags_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/tags"
)

func TestMandatoryIn(t *testing.T) {
	tests := []struct {
		name   string
		cloud  tags.Cloud
		flat   map[string]string
		want   map[string]string
		reason string
	}{
		{
			"flat map of AWS", tags.AWS,
			map[string]string{
				"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1", "node.kubernetes.io/role": "node", "owner": "me",
				"Name": "n",
			},
			map[string]string{"kubernetes.io/cluster/shoot--p--s": "1", "kubernetes.io/role/node": "1"},
			"the example of the hot-update proposal: section 2 is mandatory, pool labels are not; Name the driver sets itself",
		},
		{"none", tags.AWS, map[string]string{"owner": "me"}, nil, "there are none"},
		{"nil", tags.AWS, nil, nil, "there are none"},
		{
			"folded", tags.Azure,
			map[string]string{"Kubernetes.io-Cluster-a": "1", "kubernetes.io-role-node": "1", "azure-x": ""},
			map[string]string{"Kubernetes.io-Cluster-a": "1", "kubernetes.io-role-node": "1"},
			"Azure ignores case, and what Azure reserves is not MCM's",
		},
		{
			"Name of Azure", tags.Azure,
			map[string]string{"Name": "shoot--p--s", "name": "label", "kubernetes.io-cluster-a": "1"},
			map[string]string{"Name": "shoot--p--s", "kubernetes.io-cluster-a": "1"},
			"the extension sets Name, and pool labels come in lower case",
		},
		{
			"label name of Azure", tags.Azure,
			map[string]string{"name": "label"},
			nil,
			"the extension sets Name, spelled so",
		},
		{
			"cluster key in two spellings", tags.OpenStack,
			map[string]string{"kubernetes.io-cluster-a": "1", "Kubernetes.io-Cluster-A": "label"},
			map[string]string{"kubernetes.io-cluster-a": "1"},
			"MCM compares byte by byte, so the other spelling is a pool label",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := rulesOf(t, test.cloud, tags.VM).MandatoryIn(test.flat)
			if !maps.Equal(got, test.want) || (got == nil) != (test.want == nil) {
				t.Errorf("MandatoryIn = %v, want %v: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestLeftAlone(t *testing.T) {
	tests := []struct {
		name   string
		cloud  tags.Cloud
		flat   string
		want   string
		reason string
	}{
		{"nothing", tags.Azure, "", "", "there are no tags"},
		{"mandatory keys", tags.Azure, "Name=c kubernetes.io-cluster-c=1 kubernetes.io-role-node=1", "", "every machine has them"},
		{"label name", tags.Azure, "Name=c name=x team=a", "name", "to Azure it is the key Name"},
		{
			"labels with prefixes of Azure", tags.Azure, "azure-x=1 microsoft.com_y=2 windowsless=3 team=a",
			"azure-x microsoft.com_y windowsless", "Azure may refuse them, and a refused key fails the whole call",
		},
		{
			"Name of AWS", tags.AWS, "Name=label name=label2", "Name",
			"the driver sets Name to the machine's name; AWS tells keys apart by case",
		},
		{"prefix of AWS", tags.AWS, "aws:x=1 AWS:y=1", "AWS:y aws:x", "AWS refuses any spelling"},
		{"prefix of Alibaba Cloud", tags.AliCloud, "acs:x=1 aliyun-y=1 team=a", "acs:x aliyun-y", "Alibaba Cloud refuses them"},
		{
			"several clusters", tags.AWS, "kubernetes.io/cluster/a=1 kubernetes.io/cluster/b=1", "",
			"Plan refuses them: which one is the machine's is not known",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, tags.VM)
			got := rules.LeftAlone(parse(test.flat))
			if want := strings.Fields(test.want); !slices.Equal(got, want) {
				t.Errorf("LeftAlone = %v, want %v: %s", got, want, test.reason)
			}
		})
	}
}

// TestLeftAloneIsNeverPlanned: a key that is left alone is neither set nor removed nor taken over, whatever was recorded.
func TestLeftAloneIsNeverPlanned(t *testing.T) {
	keys := []string{
		"Name", "name", "azure-x", "aws:s", "kubernetes.io-cluster-c", "Kubernetes.io-cluster-c", "kubernetes.io/cluster/c", "team",
	}
	specs := rapid.MapOf(rapid.SampledFrom(keys), rapid.SampledFrom([]string{"1", "2"}))
	for _, cloud := range []tags.Cloud{tags.Azure, tags.AWS, tags.OpenStack, tags.AliCloud} {
		rules := rulesOf(t, cloud, tags.VM)
		rapid.Check(t, func(t *rapid.T) {
			flat := specs.Draw(t, "flat")
			project := func(flat map[string]string) map[string]string {
				return rules.Effective(flat, nil, rules.MandatoryIn(flat))
			}
			live := specs.Draw(t, "live")
			input := tags.PlanInput{
				Desired: project(flat), Mandatory: rules.MandatoryIn(flat),
				Recorded: []map[string]string{project(specs.Draw(t, "recorded")), project(flat)},
			}
			plans, err := rules.Plan(input, []string{"r"}, map[string]map[string]string{"r": live})
			if err != nil {
				t.Skip("several clusters")
			}
			for _, key := range rules.LeftAlone(flat) {
				isMandatory := func(other string) bool { return rules.IgnoresCase && strings.EqualFold(other, key) }
				if slices.ContainsFunc(slices.Collect(maps.Keys(input.Mandatory)), isMandatory) {
					continue // the plan sets the mandatory spelling
				}
				isPlanned := func(tag tags.Tag) bool { return tag.Key == key }
				if slices.ContainsFunc(plans[0].Set, isPlanned) || slices.ContainsFunc(plans[0].Remove, isPlanned) {
					t.Fatalf("%s: %q is planned: %v", cloud, key, plans[0])
				}
			}
		})
	}
}

// TestLeftAloneCountsTowardsTheLimit: the cloud counts a live key, whoever set it.
func TestLeftAloneCountsTowardsTheLimit(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	flat := parse("Name=c azure-x=1 team=a")
	input := tags.PlanInput{Desired: rules.Effective(flat, nil, nil), Mandatory: rules.MandatoryIn(flat)}
	for limit, live := range map[int]string{2: "Name=c", 3: "Name=c azure-x=1"} {
		rules.MaxTags = limit
		if _, err := rules.Plan(input, []string{"r"}, map[string]map[string]string{"r": parse(live)}); err != nil {
			t.Errorf("limit %d, live %s: %v", limit, live, err)
		}
	}
	rules.MaxTags = 2
	if _, err := rules.Plan(input, []string{"r"}, map[string]map[string]string{"r": parse("Name=c azure-x=1")}); err == nil {
		t.Error("three keys fit into two")
	}
}

// TestKeysOfUsersAreRefused: a key that a user wrote for one kind is refused before a mandatory value hides it.
func TestKeysOfUsersAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		cloud   tags.Cloud
		flat    string
		perKind string
		refused bool
	}{
		"name of Azure":           {tags.Azure, "Name=c kubernetes.io-cluster-c=1", "name=x", true},
		"Name of Azure":           {tags.Azure, "Name=c kubernetes.io-cluster-c=1", "Name=c", true},
		"name of Azure, not set":  {tags.Azure, "kubernetes.io-cluster-c=1", "name=x", true},
		"prefix of Azure":         {tags.Azure, "Name=c", "azure-x=1", true},
		"own cluster's key":       {tags.AWS, "kubernetes.io/cluster/c=1", "kubernetes.io/cluster/c=1", true},
		"another cluster's key":   {tags.AWS, "kubernetes.io/cluster/c=1", "kubernetes.io/cluster/d=1", true},
		"Name of AWS":             {tags.AWS, "kubernetes.io/cluster/c=1", "Name=x", true},
		"name of AWS":             {tags.AWS, "kubernetes.io/cluster/c=1", "name=x", false},
		"any other key":           {tags.Azure, "Name=c team=a", "team=b", false},
		"label and key of a user": {tags.Azure, "Name=c azure-x=1", "team=b", false},
	} {
		t.Run(name, func(t *testing.T) {
			rules := rulesOf(t, tc.cloud, tags.VM)
			flat := parse(tc.flat)
			perKind := parse(tc.perKind)
			mandatory := rules.MandatoryIn(flat)
			_, err := rules.Plan(tags.PlanInput{
				Desired: rules.Effective(flat, perKind, mandatory), PerKind: perKind, Mandatory: mandatory,
			}, []string{"r"}, nil)
			if (err != nil) != tc.refused {
				t.Errorf("Plan = %v, want an error: %v", err, tc.refused)
			}
		})
	}
}
