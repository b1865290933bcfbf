package tags

import (
	"slices"
	"unicode"
)

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
)

// row is one line of the table: the kinds of resources of a cloud that share their rules.
type row struct {
	cloud Cloud
	kinds []Kind
	rules Rules
}

func (r *row) has(k Kind) bool { return slices.Contains(r.kinds, k) }

// table is the data that everything else reads. Where the documentation says "characters" and leaves the unit open, UTF-16 code units are
// counted: they are never fewer than code points, so what passes here passes either way.
//
// The mandatory keys are those of the hot-update proposal, "What is available today", and of the drivers that it links.
func table() []row {
	all := []Kind{VM, Network, Disk}
	return []row{
		{AWS, all, awsTags()},
		{Azure, all, azureTags()},
		{GCP, []Kind{VM, Disk}, gcpLabels()},
		{GCP, []Kind{Network}, gcpNetworkTags()},
		{OpenStack, []Kind{VM, Disk}, openStackMetadata()},
		{AliCloud, all, aliCloudTags()},
	}
}

func awsTags() Rules {
	// AWS: Tag naming limits and requirements. EC2 itself takes every character; other services and billing do not.
	chars := Alphabet{
		Name:    "letters, digits, spaces and + - = . _ : / @",
		Chars:   "+-=._:/@",
		Classes: []*unicode.RangeTable{unicode.L, unicode.Z, unicode.N}, // AWS API references, type Tag: pattern [\p{L}\p{Z}\p{N}_.:/=+\-@]*
	}
	return Rules{
		Name:      "AWS tags",
		Source:    "AWS: Tag naming limits and requirements; Amazon EC2 API Reference: CreateTags, DeleteTags",
		Folding:   CaseSensitive,                                            // "Tag keys and values are case-sensitive"
		MaxTags:   50,                                                       // user tags
		Uncounted: []string{"aws:"},                                         // "do not count against your tags per resource limit"
		Key:       Text{Min: 1, Max: 128, Unit: CodePoints, Allowed: chars}, // "128 Unicode characters in UTF-8"; Smithy's length trait counts code points
		Value:     Text{Max: 256, Unit: CodePoints, Allowed: chars, NotPrefix: []string{"aws:"}},
		Reserved: []Reserved{
			{MatchContains, "kubernetes.io/cluster/", MCMCluster},
			{MatchContains, "kubernetes.io/role/", MCMRole},
			{MatchExactly, "Name", TheDriver},
			{MatchPrefix, "aws:", TheCloud}, // "aws:, AWS:, or any upper or lowercase combination"
		},
		Guard:      GuardValue,                        // DeleteTags: with a value, "we delete the tag only if its value" is this
		SetCall:    Call{Resources: 1000, Tags: 50},   // CreateTags: "Up to 1000 resource IDs"; a resource takes no more than 50 tags
		RemoveCall: Call{Resources: 1000, Tags: 1000}, // DeleteTags: "Up to 1000 resource IDs", "Up to 1000 tags"
	}
}

func azureTags() Rules {
	return Rules{
		Name:    "Azure tags",
		Source:  "Azure Resource Manager: Use tags to organize your Azure resources, Limitations; REST API: Tags",
		Folding: CaseInsensitive, // "Tag names are case-insensitive for operations"
		MaxTags: 50,
		Key: Text{
			Min: 1, Max: 512, Unit: UTF16Units, // "512 characters", unit open
			Allowed: Alphabet{Name: `characters other than < > % & \ ? /`, Except: `<>%&\?/`},
		},
		Value: Text{Max: 256, Unit: UTF16Units}, // "256 characters", unit open
		Reserved: []Reserved{
			{MatchContains, "kubernetes.io-cluster-", MCMCluster},
			{MatchContains, "kubernetes.io-role-", MCMRole},
			{MatchExactly, "Name", TheDriver},
			{MatchPrefix, "microsoft", TheCloud}, // Tags - Create Or Update: "prefixes which are reserved for Azure use"
			{MatchPrefix, "azure", TheCloud},
			{MatchPrefix, "windows", TheCloud},
		},
		// As the Azure extension does with pool labels.
		Cleaning:   Cleaning{Key: Clean{Case: LowerCase, Keep: Alphabet{Except: `<>%&\?/ `}, Replacement: "_"}},
		Guard:      GuardValue, // Tags - Update At Scope: Delete takes "names or name/value pairs"
		SetCall:    Call{Resources: 1, Tags: 50},
		RemoveCall: Call{Resources: 1, Tags: 50},
	}
}

func gcpLabels() Rules {
	// Google Cloud APIs: label keys [\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}, values [\p{Ll}\p{Lo}\p{N}_-]{0,63}.
	letters := Alphabet{Name: "a lower-case or international letter", Classes: []*unicode.RangeTable{unicode.Ll, unicode.Lo}}
	chars := Alphabet{
		Name:    "lower-case or international letters, digits, _ and -",
		Chars:   "_-",
		Classes: []*unicode.RangeTable{unicode.Ll, unicode.Lo, unicode.N},
	}
	// As the GCP extension does with pool labels; it drops international letters.
	kept := Alphabet{Chars: lowerCase + digits + "_-"}
	return Rules{
		Name:    "GCP labels",
		Source:  "Google Cloud: Labels overview, Requirements for labels; Compute Engine API: setLabels",
		Folding: CaseSensitive, // there are no capitals
		MaxTags: 64,
		Key:     Text{Min: 1, Max: 63, Unit: CodePoints, MaxBytes: 128, Allowed: chars, First: letters}, // "63 characters", "UTF-8 encoding of maximum 128 bytes"
		Value:   Text{Max: 63, Unit: CodePoints, MaxBytes: 128, Allowed: chars},
		Cleaning: Cleaning{
			Key:   Clean{Case: LowerCase, Keep: kept, Replacement: "_", Begin: Alphabet{Chars: lowerCase}, Cut: 63},
			Value: Clean{Case: LowerCase, Keep: kept, Replacement: "_", Cut: 63},
		},
		Guard:      GuardVersion, // setLabels writes all labels and demands the latest labelFingerprint
		SetCall:    Call{Resources: 1, Tags: 64},
		RemoveCall: Call{Resources: 1, Tags: 64},
	}
}

func gcpNetworkTags() Rules {
	return Rules{
		Name:    "GCP network tags",
		Source:  "Google Cloud VPC: Add network tags, Limits; Compute Engine API: setTags",
		Form:    KeysOnly,
		Folding: CaseSensitive, // there are no capitals
		MaxTags: 64,            // per VM
		Key: Text{
			Min: 1, Max: 63, Unit: CodePoints, // setTags: "1-63 characters long, and comply with RFC1035"
			Allowed: Alphabet{Name: "lower-case letters, digits and -", Chars: lowerCase + digits + "-"},
			First:   Alphabet{Name: "a lower-case letter", Chars: lowerCase},
			Last:    Alphabet{Name: "a lower-case letter or a digit", Chars: lowerCase + digits},
		},
		Reserved: []Reserved{
			{MatchContains, "kubernetes-io-cluster-", MCMCluster},
			{MatchContains, "kubernetes-io-role-", MCMRole},
		},
		// No cleaning: a network tag selects firewall rules and routes, and a repaired one would select others.
		Guard:      GuardVersion, // setTags writes all tags and demands an up-to-date fingerprint
		SetCall:    Call{Resources: 1, Tags: 64},
		RemoveCall: Call{Resources: 1, Tags: 64},
	}
}

func openStackMetadata() Rules {
	// Nova and Cinder API, metadata schema: keys ^[a-zA-Z0-9-_:. ]{1,255}$, values maxLength 255, both counted in Python's code points.
	chars := Alphabet{Name: "ASCII letters, ASCII digits, spaces and - _ : .", Chars: lowerCase + upperCase + digits + "-_:. "}
	return Rules{
		Name:    "OpenStack metadata",
		Source:  "Nova and Cinder API: metadata schema; Nova: quotas; Nova spec lowercase-metadata-keys",
		Folding: CaseInsensitive, // with MySQL; deleting "foo" deletes "Foo" and "FOO" too
		MaxTags: 128,             // quota metadata_items, its default
		Key:     Text{Min: 1, Max: 255, Unit: CodePoints, Allowed: chars},
		Value:   Text{Max: 255, Unit: CodePoints},
		Reserved: []Reserved{
			{MatchContains, "kubernetes.io-cluster-", MCMCluster},
			{MatchContains, "kubernetes.io-role-", MCMRole},
		},
		// As the OpenStack extension does with pool labels.
		Cleaning:   Cleaning{Key: Clean{Keep: chars, Replacement: "-"}},
		Guard:      Unguarded,
		SetCall:    Call{Resources: 1, Tags: 128}, // POST metadata adds and updates any number
		RemoveCall: Call{Resources: 1, Tags: 1},   // DELETE metadata/{key}
	}
}

func aliCloudTags() Rules {
	// ECS API: "cannot start with aliyun or acs:" and "cannot contain http:// or https://"; OSS says that case does not matter.
	urls := []string{"http://", "https://"}
	return Rules{
		Name:    "Alibaba Cloud tags",
		Source:  "Alibaba Cloud ECS: Limits, Tag limits; ECS API: TagResources, UntagResources",
		Folding: CaseSensitive,
		MaxTags: 20,
		Key:     Text{Min: 1, Max: 128, Unit: UTF16Units, NotContaining: urls}, // "128 characters", unit open
		Value:   Text{Max: 128, Unit: UTF16Units, NotPrefix: []string{"aliyun", "acs:"}, NotContaining: urls},
		Reserved: []Reserved{
			{MatchContains, "kubernetes.io/cluster/", MCMCluster},
			{MatchContains, "kubernetes.io/role/", MCMRole},
			{MatchPrefix, "aliyun", TheCloud},
			{MatchPrefix, "acs:", TheCloud},
		},
		// As the Alibaba Cloud extension does with pool labels.
		Cleaning:   Cleaning{EmptyValues: DropEmptyValues},
		Guard:      Unguarded,                     // UntagResources takes keys only
		SetCall:    Call{Resources: 50, Tags: 20}, // TagResources: "Valid values of N: 1 to 50", "1 to 20"
		RemoveCall: Call{Resources: 50, Tags: 20},
	}
}
