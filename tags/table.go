package tags

import (
	"regexp"
	"strings"
	"sync"
)

// Expressions that keys and values have to match, or must not contain, in the words of the clouds'
// documentation where it has any. An expression is compiled when it is first asked for: a program that imports this
// package for a part of it starts without them.
var (
	awsText       = expression(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`) // AWS API references, type Tag
	awsReserved   = expression(`(?i)^aws:`)
	azureNoKey    = expression(`[<>%&\\?/]`)
	gcpKey        = expression(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]*$`) // Google Cloud APIs
	gcpValue      = expression(`^[\p{Ll}\p{Lo}\p{N}_-]*$`)
	gcpNetworkTag = expression(`^[a-z]([-a-z0-9]*[a-z0-9])?$`) // setTags: RFC 1035
	novaKey       = expression(`^[a-zA-Z0-9\-_:. ]+$`)         // Nova API, metadata schema
	cinderKey     = expression(`^[a-zA-Z0-9\-_:. /]+$`)        // Cinder API, parameter type extra_specs
	aliNoKey      = expression(`(?i)https?://`)                // ECS API: "cannot contain http:// or https://"
	// and "cannot start with aliyun or acs:"; OSS says that case does not matter
	aliNoValue   = expression(`(?i)^(aliyun|acs:)|https?://`)
	azureNoLabel = expression(`[<>%&\\?/ ]`) // what the extensions replace in pool labels
	gcpNoLabel   = expression(`[^a-z0-9_-]`)
	novaNoLabel  = expression(`[^a-zA-Z0-9\-_:. ]`)
)

// expression returns a function that compiles an expression once. The tests of this package use each.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// row is one line of the table: the kinds of resources of a cloud that share their rules.
type row struct {
	cloud Cloud
	kinds []Kind
	rules Rules
}

// table is the data that everything else reads. Where the documentation says "characters" and
// leaves the unit open, UTF-16 code units are counted: they are never fewer than code points, so a
// text that passes here is valid in both units.
//
// The mandatory keys come from the hot-update proposal, "What is available today", and from the
// drivers that it links.
func table() []row {
	return []row{
		{AWS, Kinds(), awsTags()},
		{Azure, Kinds(), azureTags()},
		{GCP, []Kind{VM, Disk}, gcpLabels()},
		{GCP, []Kind{Network}, gcpNetworkTags()},
		{OpenStack, []Kind{VM}, openStackMetadata(novaKey())},
		{OpenStack, []Kind{Disk}, openStackMetadata(cinderKey())},
		{AliCloud, Kinds(), aliCloudTags()},
	}
}

// Sources: AWS: Tag naming limits and requirements; Amazon EC2 API Reference: CreateTags,
// DeleteTags.
func awsTags() Rules {
	return Rules{ // "Tag keys and values are case-sensitive"
		MaxTags:   50,                // user tags
		uncounted: []string{"aws:*"}, // "do not count against your tags per resource limit"
		// EC2 API Reference, type Tag: "a maximum of 127 Unicode characters". The guide says 128.
		// The smaller limit is used: a key that EC2 refuses blocks the update of a machine, while a
		// key that validation refuses can be shortened. Smithy's length trait counts code points.
		// EC2 itself takes every character; other services and billing do not.
		Key:         Text{Max: 127, Match: awsText()},
		Value:       Text{Max: 256, Match: awsText(), Without: awsReserved()},
		ClusterKeys: []string{"*kubernetes.io/cluster/*"},
		RoleKeys:    []string{"*kubernetes.io/role/*"},
		// Name is the machine's name: the driver sets it, whatever the flat map says, and MCM finds VMs by
		// it. "aws:, AWS:, or any upper or lowercase combination"
		ReservedKeys: []string{"Name", "aws:*"},
		// DeleteTags: with a value, "we delete the tag only if its value" is this
		Guard:            GuardValue,
		ResourcesPerCall: 1000, // CreateTags, DeleteTags: "Up to 1000 resource IDs"
		TagsPerCall:      50,   // DeleteTags: "Up to 1000 tags"; a resource has no more than 50
	}
}

// Sources: Azure Resource Manager: Use tags to organize your Azure resources, Limitations; REST
// API: Tags.
func azureTags() Rules {
	return Rules{
		IgnoresCase: true, // "Tag names are case-insensitive for operations"
		MaxTags:     50,
		Key:         Text{Max: 512, utf16: true, Without: azureNoKey()}, // "512 characters", unit open
		Value:       Text{Max: 256, utf16: true},                        // "256 characters", unit open
		ClusterKeys: []string{"*kubernetes.io-cluster-*"},
		RoleKeys:    []string{"*kubernetes.io-role-*"},
		// The extension sets Name, and the driver gives it to VM, interface and disks. Tags - Create Or
		// Update: "prefixes which are reserved for Azure use". Documented for predefined tag names only;
		// unconfirmed for tags on resources: the released driver sends pool labels with these prefixes.
		// Az.Resources, New-AzTag: Azure creates names with these prefixes, so none is ever
		// removed.
		ReservedKeys:  []string{"name", "microsoft*", "azure*", "windows*"},
		MandatoryKeys: []string{"Name"},
		// As the Azure extension does with pool labels.
		cleaning: cleaning{
			key: func(key string) string { return azureNoLabel().ReplaceAllString(strings.ToLower(key), "_") },
		},
		Guard:       GuardValue, // Tags - Update At Scope: Delete takes "names or name/value pairs"
		TagsPerCall: 50,
	}
}

// Sources: Google Cloud: Labels overview, Requirements for labels; Compute Engine API: setLabels.
// Capitals are not allowed.
func gcpLabels() Rules {
	// As the GCP extension does with pool labels; it drops international letters.
	clean := func(text string) string { return gcpNoLabel().ReplaceAllString(strings.ToLower(text), "_") }
	cut := func(text string) string { return text[:min(len(text), 63)] }
	return Rules{
		MaxTags: 64,
		// "63 characters", "UTF-8 encoding of maximum 128 bytes"; Cloud Deploy API: keys and values
		// "<= 128 bytes". That values have to be under 128 bytes is unconfirmed.
		Key:   Text{Max: 63, maxBytes: 128, Match: gcpKey()},
		Value: Text{Max: 63, maxBytes: 128, Match: gcpValue()},
		cleaning: cleaning{
			key:   func(key string) string { return cut(strings.TrimLeft(clean(key), "0123456789_-")) },
			value: func(value string) string { return cut(clean(value)) },
		},
		Guard:       GuardVersion, // setLabels writes all labels and demands the latest labelFingerprint
		TagsPerCall: 64,
	}
}

// Sources: Google Cloud VPC: Add network tags, Limits; Compute Engine API: setTags. There are no
// capitals.
func gcpNetworkTags() Rules {
	return Rules{
		KeysOnly:    true,
		MaxTags:     64,                                    // per VM
		Key:         Text{Max: 63, Match: gcpNetworkTag()}, // setTags: "1-63 characters long"
		ClusterKeys: []string{"*kubernetes-io-cluster-*"},
		RoleKeys:    []string{"*kubernetes-io-role-*"},
		// No cleaning: a network tag selects firewall rules and routes, and a repaired tag would
		// select others.
		Guard:       GuardVersion, // setTags writes all tags and demands an up-to-date fingerprint
		TagsPerCall: 64,
	}
}

// Sources: Nova and Cinder API: schemas of metadata; Nova: quotas; Nova spec
// lowercase-metadata-keys. Keys and values have a maxLength of 255, in Python's code points.
// Unconfirmed for Cinder: the number of items, and that keys ignore case.
func openStackMetadata(key *regexp.Regexp) Rules {
	return Rules{
		IgnoresCase: true, // on MySQL; deleting "foo" also deletes "Foo" and "FOO"
		MaxTags:     128,  // quota metadata_items, its default
		Key:         Text{Max: 255, Match: key},
		Value:       Text{Max: 255},
		ClusterKeys: []string{"*kubernetes.io-cluster-*"},
		RoleKeys:    []string{"*kubernetes.io-role-*"},
		// As the OpenStack extension does with pool labels, which it puts on servers.
		cleaning:        cleaning{key: func(key string) string { return novaNoLabel().ReplaceAllString(key, "-") }},
		Guard:           Unguarded,
		TagsPerCall:     128, // POST metadata adds and updates any number
		removalsPerCall: 1,   // DELETE metadata/{key}
	}
}

// Sources: Alibaba Cloud Resource Management: Limits, Limits on tags; ECS API: TagResources,
// UntagResources. Case counts.
func aliCloudTags() Rules {
	return Rules{
		// "tags that can be added to a single resource"; ECS refers to separate limits, whose
		// number is unconfirmed
		MaxTags:      20,
		Key:          Text{Max: 128, utf16: true, Without: aliNoKey()}, // "128 characters", unit open
		Value:        Text{Max: 128, utf16: true, Without: aliNoValue()},
		ClusterKeys:  []string{"*kubernetes.io/cluster/*"},
		RoleKeys:     []string{"*kubernetes.io/role/*"},
		ReservedKeys: []string{"aliyun*", "acs:*"},
		// As the Alibaba Cloud extension does with pool labels.
		cleaning:         cleaning{dropEmpty: true},
		Guard:            Unguarded, // UntagResources takes keys only
		ResourcesPerCall: 50,        // TagResources: "Valid values of N: 1 to 50", "1 to 20"
		TagsPerCall:      20,
	}
}
