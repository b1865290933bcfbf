package tags_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/hotupdate/providerconfig/hotupdate/fault"
	"github.com/hotupdate/providerconfig/tags"
)

func rulesOf(tb testing.TB, cloud tags.Cloud, kind tags.Kind) *tags.Rules {
	tb.Helper()
	rules, err := cloud.Rules(kind)
	if err != nil {
		tb.Fatal(err)
	}
	return &rules
}

// kindsOf returns the error types, sorted.
func kindsOf(errs field.ErrorList) []field.ErrorType {
	var kinds []field.ErrorType
	for _, err := range errs {
		kinds = append(kinds, err.Type)
	}
	slices.Sort(kinds)
	return kinds
}

// one is a map with one key.
func one(key, value string) map[string]string { return map[string]string{key: value} }

// many is n keys that every cloud takes.
func many(n int) map[string]string {
	m := make(map[string]string, n)
	for i := range n {
		m[fmt.Sprintf("key-%04d", i)] = ""
	}
	return m
}

const (
	tooLong   = field.ErrorTypeTooLong
	tooMany   = field.ErrorTypeTooMany
	invalid   = field.ErrorTypeInvalid
	required  = field.ErrorTypeRequired
	forbidden = field.ErrorTypeForbidden
	duplicate = field.ErrorTypeDuplicate

	astral = "𠀋" // a letter (Lo) of one code point, two UTF-16 code units and four bytes
)

// ruleTests has one row for each rule of each cloud, on both sides of its boundary.
var ruleTests = []struct {
	cloud  tags.Cloud
	kind   tags.Kind
	name   string
	input  map[string]string
	want   []field.ErrorType
	source string
}{
	{tags.AWS, tags.VM, "count", many(50), nil, awsNaming + `"50 user created tags"`},
	{tags.AWS, tags.VM, "count exceeded", many(51), []field.ErrorType{tooMany}, awsNaming},
	{tags.AWS, tags.VM, "empty key", one("", "v"), []field.ErrorType{required}, awsNaming + `"A tag key cannot be an empty string"`},
	{tags.AWS, tags.VM, "key length", one(strings.Repeat("ä", 127), ""), nil, ec2Tag},
	{tags.AWS, tags.VM, "key too long", one(strings.Repeat("ä", 128), ""), []field.ErrorType{tooLong}, ec2Tag},
	{
		tags.AWS, tags.VM, "key length in code points", one(strings.Repeat(astral, 127), ""), nil,
		"Smithy: the length of a string is its Unicode scalar values",
	},
	{tags.AWS, tags.VM, "value length", one("k", strings.Repeat("ä", 256)), nil, awsNaming + `"256 Unicode characters in UTF-8"`},
	{tags.AWS, tags.VM, "value too long", one("k", strings.Repeat("a", 257)), []field.ErrorType{tooLong}, awsNaming},
	{
		tags.AWS, tags.VM, "alphabet", one("aZ09 +-=._:/@é", "aZ09 +-=._:/@é"), nil,
		awsNaming + `"letters, numbers, spaces, + - = . _ : / @"`,
	},
	{tags.AWS, tags.VM, "key alphabet", one("a,b", ""), []field.ErrorType{invalid}, awsNaming},
	{tags.AWS, tags.VM, "value alphabet", one("k", "a;b"), []field.ErrorType{invalid}, awsNaming},
	{tags.AWS, tags.VM, "case counts", map[string]string{"a": "", "A": ""}, nil, awsNaming + `"case-sensitive"`},
	{
		tags.AWS, tags.VM, "reserved key prefix", one("AwS:x", ""),
		[]field.ErrorType{forbidden},
		awsNaming + `"any upper or lowercase combination"`,
	},
	{tags.AWS, tags.VM, "reserved value prefix", one("k", "Aws:x"), []field.ErrorType{invalid}, awsNaming + `"for either keys or values"`},
	{tags.AWS, tags.VM, "prefix only", one("laws:x", "a aws:"), nil, awsNaming},
	{tags.AWS, tags.VM, "cluster key", one("my.kubernetes.io/cluster/other", "1"), []field.ErrorType{forbidden}, mcmKeys},
	{tags.AWS, tags.Disk, "role key", one("kubernetes.io/role/worker", "1"), []field.ErrorType{forbidden}, mcmKeys},
	{tags.AWS, tags.VM, "pool label that only resembles a role key", one("node.kubernetes.io/role", "node"), nil, mcmKeys},
	{tags.AWS, tags.Network, "name", one("Name", "n"), []field.ErrorType{forbidden}, mcmKeys},
	{tags.AWS, tags.Network, "another name", one("name", "n"), nil, "the driver sets Name; AWS tells it from name"},
	{tags.AWS, tags.VM, "not UTF-8", one("k", "\xff"), []field.ErrorType{invalid}, awsNaming},

	{tags.Azure, tags.VM, "count", many(50), nil, azureLimits + `"maximum of 50 tag name-value pairs"`},
	{tags.Azure, tags.VM, "count exceeded", many(51), []field.ErrorType{tooMany}, azureLimits},
	{tags.Azure, tags.VM, "empty key", one("", "v"), []field.ErrorType{required}, azureLimits},
	{tags.Azure, tags.VM, "key length", one(strings.Repeat("ä", 512), ""), nil, azureLimits + `"512 characters"`},
	{tags.Azure, tags.VM, "key too long", one(strings.Repeat("a", 513), ""), []field.ErrorType{tooLong}, azureLimits},
	{tags.Azure, tags.VM, "key length in UTF-16", one(strings.Repeat(astral, 256), ""), nil, azureLimits + "unit open, so the larger"},
	{tags.Azure, tags.VM, "key too long in UTF-16", one(strings.Repeat(astral, 257), ""), []field.ErrorType{tooLong}, azureLimits},
	{tags.Azure, tags.VM, "value length", one("k", strings.Repeat("ä", 256)), nil, azureLimits + `"256 characters"`},
	{tags.Azure, tags.VM, "value too long", one("k", strings.Repeat("a", 257)), []field.ErrorType{tooLong}, azureLimits},
	{tags.Azure, tags.VM, "alphabet", one(`a b#:;,"'`, `<>%&\?/`), nil, azureLimits + "only names are limited"},
	{tags.Azure, tags.VM, "key with <", one("a<b", ""), []field.ErrorType{invalid}, azureLimits},
	{tags.Azure, tags.VM, "key with >", one("a>b", ""), []field.ErrorType{invalid}, azureLimits},
	{tags.Azure, tags.VM, "key with %", one("a%b", ""), []field.ErrorType{invalid}, azureLimits},
	{tags.Azure, tags.VM, "key with &", one("a&b", ""), []field.ErrorType{invalid}, azureLimits},
	{tags.Azure, tags.VM, `key with \`, one(`a\b`, ""), []field.ErrorType{invalid}, azureLimits},
	{tags.Azure, tags.VM, "key with ?", one("a?b", ""), []field.ErrorType{invalid}, azureLimits},
	{tags.Azure, tags.VM, "key with /", one("a/b", ""), []field.ErrorType{invalid}, azureLimits},
	{
		tags.Azure, tags.VM, "case is ignored",
		map[string]string{"Owner": "a", "owner": "b"},
		[]field.ErrorType{duplicate, duplicate},
		azureLimits + `"Tag names are case-insensitive"`,
	},
	{tags.Azure, tags.VM, "microsoft", one("MicrosoftX", ""), []field.ErrorType{forbidden}, azureTagsAPI},
	{tags.Azure, tags.VM, "azure", one("azure", ""), []field.ErrorType{forbidden}, azureTagsAPI},
	{tags.Azure, tags.VM, "windows", one("Windows-a", ""), []field.ErrorType{forbidden}, azureTagsAPI},
	{tags.Azure, tags.VM, "prefix only", one("my-azure", ""), nil, azureTagsAPI},
	{tags.Azure, tags.Disk, "cluster key", one("Kubernetes.io-Cluster-other", "1"), []field.ErrorType{forbidden}, mcmKeys},
	{tags.Azure, tags.Network, "role key", one("kubernetes.io-role-x", "1"), []field.ErrorType{forbidden}, mcmKeys},
	{tags.Azure, tags.VM, "name in any case", one("NAME", "n"), []field.ErrorType{forbidden}, mcmKeys},

	{tags.GCP, tags.VM, "count", many(64), nil, gcpLabelRules + `"up to 64 labels"`},
	{tags.GCP, tags.VM, "count exceeded", many(65), []field.ErrorType{tooMany}, gcpLabelRules},
	{tags.GCP, tags.VM, "empty key", one("", "v"), []field.ErrorType{required}, gcpLabelRules + `"cannot be empty"`},
	{tags.GCP, tags.VM, "key length", one(strings.Repeat("ä", 63), ""), nil, gcpLabelRules + `"63 characters"`},
	{tags.GCP, tags.VM, "key too long", one(strings.Repeat("a", 64), ""), []field.ErrorType{tooLong}, gcpLabelRules},
	{tags.GCP, tags.VM, "key bytes", one(strings.Repeat(astral, 32), ""), nil, gcpLabelBytes},
	{tags.GCP, tags.VM, "key with too many bytes", one(strings.Repeat(astral, 33), ""), []field.ErrorType{tooLong}, gcpLabelBytes},
	{tags.GCP, tags.VM, "value length", one("k", strings.Repeat("1", 63)), nil, gcpLabelRules},
	{tags.GCP, tags.VM, "value too long", one("k", strings.Repeat("1", 64)), []field.ErrorType{tooLong}, gcpLabelRules},
	{tags.GCP, tags.VM, "value with too many bytes", one("k", strings.Repeat(astral, 33)), []field.ErrorType{tooLong}, gcpLabelBytes},
	{tags.GCP, tags.VM, "alphabet", one("größe_1-漢", "_-1größe漢"), nil, gcpLabelRules + `"international characters are allowed"`},
	{tags.GCP, tags.VM, "capitals", one("aB", "C"), []field.ErrorType{invalid, invalid}, gcpLabelRules + `"only lowercase letters"`},
	{tags.GCP, tags.Disk, "punctuation", one("a.b", "c/d"), []field.ErrorType{invalid, invalid}, gcpLabelRules},
	{
		tags.GCP, tags.Disk, "begins with a digit", one("1a", "1a"),
		[]field.ErrorType{invalid},
		gcpLabelRules + `"Keys must start with a lowercase letter or international character"`,
	},
	{tags.GCP, tags.Disk, "begins with _", one("_a", "_a"), []field.ErrorType{invalid}, gcpLabelRules},

	{tags.GCP, tags.Network, "count", many(64), nil, gcpNetTags + `"Maximum number of tags per VM 64"`},
	{tags.GCP, tags.Network, "count exceeded", many(65), []field.ErrorType{tooMany}, gcpNetTags},
	{tags.GCP, tags.Network, "empty key", one("", ""), []field.ErrorType{required}, gcpNetTags},
	{tags.GCP, tags.Network, "key length", one(strings.Repeat("a", 63), ""), nil, gcpNetTags + `"63"`},
	{tags.GCP, tags.Network, "key too long", one(strings.Repeat("a", 64), ""), []field.ErrorType{tooLong}, gcpNetTags},
	{tags.GCP, tags.Network, "alphabet", one("a-0", ""), nil, gcpNetTags},
	{tags.GCP, tags.Network, "one letter", one("a", ""), nil, "RFC 1035: [a-z]([-a-z0-9]*[a-z0-9])?"},
	{tags.GCP, tags.Network, "underscore", one("a_b", ""), []field.ErrorType{invalid}, gcpNetTags},
	{tags.GCP, tags.Network, "international", one("größe", ""), []field.ErrorType{invalid}, gcpNetTags},
	{tags.GCP, tags.Network, "begins with a digit", one("1a", ""), []field.ErrorType{invalid}, gcpNetTags},
	{tags.GCP, tags.Network, "ends with -", one("a-", ""), []field.ErrorType{invalid}, gcpNetTags},
	{
		tags.GCP, tags.Network, "keys only", one("a", "value"),
		[]field.ErrorType{forbidden},
		"hot-update proposal: GCP network tags are just keys",
	},
	{tags.GCP, tags.Network, "cluster key", one("kubernetes-io-cluster-other", ""), []field.ErrorType{forbidden}, mcmKeys},
	{tags.GCP, tags.Network, "role key", one("kubernetes-io-role-node", ""), []field.ErrorType{forbidden}, mcmKeys},

	{tags.OpenStack, tags.VM, "count", many(128), nil, "Nova: quota metadata_items, default 128"},
	{tags.OpenStack, tags.VM, "count exceeded", many(129), []field.ErrorType{tooMany}, "Nova: quota metadata_items, default 128"},
	{tags.OpenStack, tags.VM, "empty key", one("", "v"), []field.ErrorType{required}, novaSchema},
	{tags.OpenStack, tags.VM, "key length", one(strings.Repeat("a", 255), ""), nil, novaSchema},
	{tags.OpenStack, tags.VM, "key too long", one(strings.Repeat("a", 256), ""), []field.ErrorType{tooLong}, novaSchema},
	{tags.OpenStack, tags.VM, "value length", one("k", strings.Repeat(astral, 255)), nil, novaSchema + "; JSON Schema counts code points"},
	{tags.OpenStack, tags.VM, "value too long", one("k", strings.Repeat("a", 256)), []field.ErrorType{tooLong}, novaSchema},
	{tags.OpenStack, tags.VM, "alphabet", one("aZ09-_:. ", "anything / ü"), nil, novaSchema},
	{tags.OpenStack, tags.Disk, "alphabet", one("aZ09-_:. /", "anything / ü"), nil, cinderSchema},
	{tags.OpenStack, tags.Disk, "key with ,", one("a,b", ""), []field.ErrorType{invalid}, cinderSchema},
	{tags.OpenStack, tags.VM, "key with /", one("a/b", ""), []field.ErrorType{invalid}, novaSchema},
	{tags.OpenStack, tags.VM, "international key", one("größe", ""), []field.ErrorType{invalid}, novaSchema},
	{
		tags.OpenStack, tags.VM, "case is ignored",
		map[string]string{"foo": "1", "Foo": "1", "FOO": "1"},
		[]field.ErrorType{duplicate, duplicate, duplicate},
		"Nova spec lowercase-metadata-keys",
	},
	{tags.OpenStack, tags.VM, "cluster key", one("kubernetes.io-cluster-other", ""), []field.ErrorType{forbidden}, mcmKeys},
	{tags.OpenStack, tags.VM, "role key", one("kubernetes.io-role-x", ""), []field.ErrorType{forbidden}, mcmKeys},
	{tags.OpenStack, tags.VM, "name", one("Name", ""), nil, "the driver sets no such item"},

	{tags.AliCloud, tags.VM, "count", many(20), nil, aliLimits + `"Maximum number of tags that can be added to a single resource 20"`},
	{tags.AliCloud, tags.VM, "count exceeded", many(21), []field.ErrorType{tooMany}, aliLimits},
	{tags.AliCloud, tags.VM, "empty key", one("", "v"), []field.ErrorType{required}, aliTagResources},
	{tags.AliCloud, tags.VM, "key length", one(strings.Repeat("ä", 128), ""), nil, aliTagResources + `"128 characters"`},
	{tags.AliCloud, tags.VM, "key too long", one(strings.Repeat("a", 129), ""), []field.ErrorType{tooLong}, aliTagResources},
	{
		tags.AliCloud, tags.VM, "key too long in UTF-16", one(strings.Repeat(astral, 65), ""),
		[]field.ErrorType{tooLong},
		aliTagResources + "unit open, so the larger",
	},
	{tags.AliCloud, tags.VM, "value length", one("k", strings.Repeat("ä", 128)), nil, aliTagResources + `"128 characters"`},
	{tags.AliCloud, tags.VM, "value too long", one("k", strings.Repeat("a", 129)), []field.ErrorType{tooLong}, aliTagResources},
	{tags.AliCloud, tags.VM, "case counts", map[string]string{"a": "", "A": ""}, nil, "Alibaba Cloud: tags are case-sensitive"},
	{tags.AliCloud, tags.VM, "aliyun", one("Aliyun-x", ""), []field.ErrorType{forbidden}, aliTagResources},
	{tags.AliCloud, tags.VM, "acs:", one("acs:x", ""), []field.ErrorType{forbidden}, aliTagResources},
	{tags.AliCloud, tags.VM, "acs without colon", one("acs", "acs"), nil, aliTagResources},
	{tags.AliCloud, tags.VM, "value prefix", one("k", "ALIYUN"), []field.ErrorType{invalid}, aliTagResources},
	{tags.AliCloud, tags.VM, "value prefix acs:", one("k", "acs:1"), []field.ErrorType{invalid}, aliTagResources},
	{tags.AliCloud, tags.VM, "url in key", one("see http://x", ""), []field.ErrorType{invalid}, aliTagResources},
	{tags.AliCloud, tags.VM, "url in value", one("k", "see HTTPS://x"), []field.ErrorType{invalid}, aliTagResources},
	{tags.AliCloud, tags.Network, "cluster key", one("kubernetes.io/cluster/other", "1"), []field.ErrorType{forbidden}, mcmKeys},
	{tags.AliCloud, tags.Disk, "role key", one("kubernetes.io/role/worker/x", "1"), []field.ErrorType{forbidden}, mcmKeys},
}

const (
	awsNaming       = "AWS: Tag naming limits and requirements: "
	azureLimits     = "Azure Resource Manager: Use tags to organize your Azure resources, Limitations: "
	azureTagsAPI    = "Azure REST API: Tags - Create Or Update: prefixes reserved for Azure use"
	gcpLabelRules   = "Google Cloud: Labels overview, Requirements for labels: "
	gcpLabelBytes   = "Google Cloud APIs: label keys and values have a UTF-8 encoding of maximum 128 bytes"
	gcpNetTags      = "Google Cloud VPC: Add network tags, Limits: "
	cinderSchema    = "Cinder API: parameter type extra_specs: ^[a-zA-Z0-9-_:. /]{1,255}$, maxLength 255"
	ec2Tag          = "Amazon EC2 API Reference: type Tag: maximum of 127 Unicode characters; the guide says 128"
	novaSchema      = "Nova API: metadata schema: ^[a-zA-Z0-9-_:. ]{1,255}$, maxLength 255"
	aliLimits       = "Alibaba Cloud Resource Management: Limits on tags: "
	aliTagResources = "Alibaba Cloud ECS API: TagResources: "
	mcmKeys         = "hot-update proposal, What is available today: tags that MCM depends on"
)

func TestRules(t *testing.T) {
	for _, test := range ruleTests {
		t.Run(string(test.cloud)+"/"+string(test.kind)+"/"+test.name, func(t *testing.T) {
			rules := rulesOf(t, test.cloud, test.kind)
			errs := rules.Validate(test.input, nil, field.NewPath("tags"))
			if got := kindsOf(errs); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v\nsource: %s\n%v", got, test.want, test.source, errs.ToAggregate())
			}
		})
	}
}

// Without this test only a cloud would find a typing error in the limits of calls.
func TestCallLimits(t *testing.T) {
	tests := []struct {
		cloud       tags.Cloud
		kind        tags.Kind
		set, remove tags.Call
		guard       tags.Guard
		source      string
	}{
		{
			tags.AWS, tags.VM,
			tags.Call{Resources: 1000, Tags: 50},
			tags.Call{Resources: 1000, Tags: 50},
			tags.GuardValue,
			"EC2 API: CreateTags, DeleteTags",
		},
		{tags.Azure, tags.VM, tags.Call{Tags: 50}, tags.Call{Tags: 50}, tags.GuardValue, "Azure REST API: Tags - Update At Scope"},
		{tags.GCP, tags.VM, tags.Call{Tags: 64}, tags.Call{Tags: 64}, tags.GuardVersion, "Compute Engine API: setLabels"},
		{tags.GCP, tags.Network, tags.Call{Tags: 64}, tags.Call{Tags: 64}, tags.GuardVersion, "Compute Engine API: setTags"},
		{tags.OpenStack, tags.VM, tags.Call{Tags: 128}, tags.Call{Tags: 1}, tags.Unguarded, "Nova API: DELETE metadata/{key}"},
		{
			tags.AliCloud, tags.VM,
			tags.Call{Resources: 50, Tags: 20},
			tags.Call{Resources: 50, Tags: 20},
			tags.Unguarded,
			"ECS API: TagResources, UntagResources",
		},
	}
	for _, test := range tests {
		rules := rulesOf(t, test.cloud, test.kind)
		set, remove := rules.Calls()
		if set != test.set || remove != test.remove || rules.Guard != test.guard {
			t.Errorf(
				"%s %s: %+v %+v %v, want %+v %+v %v: %s", test.cloud, test.kind, set, remove, rules.Guard, test.set, test.remove,
				test.guard, test.source,
			)
		}
	}
}

func TestNoRules(t *testing.T) {
	for _, test := range []struct {
		cloud  tags.Cloud
		kind   tags.Kind
		reason string
	}{
		{tags.OpenStack, tags.Network, "ports carry no keys with values"},
		{tags.AWS, tags.Kind(""), "the zero value is no kind"},
		{tags.Cloud(""), tags.VM, "the zero value is no cloud"},
		{tags.Cloud("x"), tags.Kind("x"), "neither exists"},
	} {
		_, err := test.cloud.Rules(test.kind)
		if problem, ok := errors.AsType[*fault.Error](err); !ok || problem.Code != "no-rules" {
			t.Errorf("%v/%v: error %v, want NoRules: %s", test.cloud, test.kind, err, test.reason)
		}
	}
}

func TestZeroRulesAllowNothing(t *testing.T) {
	var rules tags.Rules
	if errs := rules.Validate(
		one("k", "v"), nil, field.NewPath("tags"),
	); !slices.Equal(kindsOf(errs), []field.ErrorType{tooLong, tooLong, tooMany}) {
		t.Errorf("Validate = %v", errs)
	}
	_, err := rules.Plan(
		tags.PlanInput{Recorded: []map[string]string{one("k", "v")}}, []string{"r"}, map[string]map[string]string{"r": one("k", "v")},
	)
	if problem, ok := errors.AsType[*fault.Error](err); !ok || problem.Code != "empty-rules" {
		t.Errorf("Plan = %v, want empty-rules: rules that know no reserved key must not remove any", err)
	}
}

// naive has a cloud's rules for one key and one value a second time, as regular expressions.
type naive struct {
	cloud      tags.Cloud
	kind       tags.Kind
	key, value *regexp.Regexp
	allowed    func(key, value string) bool
}

func (n *naive) name() string { return string(n.cloud) + " " + string(n.kind) }

func naives() []naive {
	without := func(parts ...string) func(string, string) bool {
		return func(key, value string) bool {
			for _, part := range parts {
				if regexp.MustCompile(part).MatchString(key) {
					return false
				}
			}
			return true
		}
	}
	units := func(s string) int { return len(utf16.Encode([]rune(s))) }
	return []naive{
		{
			tags.AWS, tags.VM, regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,127}$`),
			regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$`),
			func(key, value string) bool {
				return without(`(?i)^aws:`, `^Name$`, `kubernetes\.io/(cluster|role)/`)(key, value) &&
					!regexp.MustCompile(`(?i)^aws:`).MatchString(value)
			},
		},
		{
			tags.Azure, tags.VM, regexp.MustCompile(`^[^<>%&\\?/]+$`), regexp.MustCompile(`(?s)^.*$`),
			func(key, value string) bool {
				return without(`(?i)^(microsoft|azure|windows)`, `(?i)^name$`, `(?i)kubernetes\.io-(cluster|role)-`)(key, value) &&
					units(key) <= 512 && units(value) <= 256
			},
		},
		{
			tags.GCP, tags.VM, regexp.MustCompile(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$`),
			regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$`),
			func(key, value string) bool { return len(key) <= 128 && len(value) <= 128 },
		},
		{
			tags.GCP, tags.Network, regexp.MustCompile(`^([a-z]([-a-z0-9]{0,61}[a-z0-9])?)$`), regexp.MustCompile(`^$`),
			without(`kubernetes-io-(cluster|role)-`),
		},
		{
			tags.OpenStack, tags.VM, regexp.MustCompile(`^[a-zA-Z0-9\-_:. ]{1,255}$`), regexp.MustCompile(`(?s)^.{0,255}$`),
			without(`(?i)kubernetes\.io-(cluster|role)-`),
		},
		{
			tags.OpenStack, tags.Disk, regexp.MustCompile(`^[a-zA-Z0-9\-_:. /]{1,255}$`), regexp.MustCompile(`(?s)^.{0,255}$`),
			without(`(?i)kubernetes\.io-(cluster|role)-`),
		},
		{
			tags.AliCloud, tags.VM, regexp.MustCompile(`(?s)^.+$`), regexp.MustCompile(`(?s)^.*$`),
			func(key, value string) bool {
				text := regexp.MustCompile(`(?i)^aliyun|^acs:|https?://`)
				isReserved := text.MatchString(key) || text.MatchString(value)
				isShort := units(key) <= 128 && units(value) <= 128
				return isShort && !isReserved && without(`kubernetes\.io/(cluster|role)/`)(key, value)
			},
		},
	}
}

func (n *naive) valid(key, value string) bool {
	isUTF8 := utf8.ValidString(key) && utf8.ValidString(value)
	isMatched := n.key.MatchString(key) && n.value.MatchString(value)
	return isUTF8 && isMatched && n.allowed(key, value)
}

// texts draws texts that are near the rules' boundaries.
func texts() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"aws:", "AWS:", "Name", "name", "kubernetes.io/cluster/", "kubernetes.io-cluster-", "kubernetes-io-cluster-",
			"kubernetes.io/role/",
			"kubernetes.io-role-", "Kubernetes.IO-role-", "microsoft", "Azure", "windows", "aliyun", "acs:", "http://", "https://",
			"Aliyun",
			"a", "b", "A", "-", "_", ".", "/", " ", "1", "ß", "İ", "ſ", "K", "漢", astral, "\xff", "%", "\n", "\x00",
		}),
		rapid.StringN(0, 3, 12),
	)
	short := rapid.Map(rapid.SliceOfN(piece, 0, 4), func(parts []string) string { return strings.Join(parts, "") })
	long := rapid.Custom(func(t *rapid.T) string {
		unit := rapid.SampledFrom([]string{"a", "ä", astral}).Draw(t, "unit")
		n := rapid.SampledFrom([]int{32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 512, 513}).Draw(t, "length")
		return short.Draw(t, "prefix") + strings.Repeat(unit, n)
	})
	return rapid.OneOf(short, long)
}

func TestValidateAgreesWithRegularExpressions(t *testing.T) {
	for _, n := range naives() {
		rules := rulesOf(t, n.cloud, n.kind)
		t.Run(n.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				key := texts().Draw(t, "key")
				value := texts().Draw(t, "value")
				errs := rules.Validate(one(key, value), nil, field.NewPath("tags"))
				if got, want := len(errs) == 0, n.valid(key, value); got != want {
					t.Fatalf("valid = %v, want %v: %v", got, want, errs.ToAggregate())
				}
			})
		})
	}
}

// If folding were not that of [strings.EqualFold], one key of the cloud could be two keys here.
func TestFoldingIsEqualFold(t *testing.T) {
	rules := rulesOf(t, tags.Azure, tags.VM)
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune("aAkKKsSſßẞiIİıσςΣéÉ1-"))
		a := string(rapid.SliceOfN(letters, 1, 3).Draw(t, "a"))
		b := string(rapid.SliceOfN(letters, 1, 3).Draw(t, "b"))
		if a == b {
			return
		}
		errs := rules.Validate(map[string]string{a: "", b: ""}, nil, field.NewPath("tags"))
		if got, want := slices.Contains(kindsOf(errs), duplicate), strings.EqualFold(a, b); got != want {
			t.Fatalf("%q and %q are one key: %v, want %v", a, b, got, want)
		}
	})
}
