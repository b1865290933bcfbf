package schemabridge

import (
	"cmp"

	"github.com/hotupdate/providerconfig/internal/fieldplan"
	"github.com/hotupdate/providerconfig/internal/leaf"
	"github.com/hotupdate/providerconfig/internal/structtag"
)

// Description says how a Schema reads a value, see [Schema.Describe].
type Description struct {
	// As is what the value stands for: quantity, duration, cidr, dns or time, as in the option as.
	// It is empty if the value means itself.
	As string
	// By says in words for people what As follows from: its type, its format, its pattern, or the
	// option as. A Schema that was loaded from JSON does not know formats and patterns.
	By string
	// Sensitive says that the value, or a part of it, must not be shown. SensitiveKeys says that its
	// map keys must not be shown either.
	Sensitive, SensitiveKeys bool
}

// Describe returns how the Schema reads the value at an RFC 6901 pointer into a configuration. It is
// for programs that show configurations. An element of a list may have any index. A value that the
// Schema does not know is sensitive.
func (s *Schema) Describe(pointer string) Description {
	unknown := Description{Sensitive: true, SensitiveKeys: true}
	if s.IsMissing() || pointer != "" && pointer[0] != '/' {
		return unknown
	}
	n := s.plan.Find(pointer)
	if n == nil {
		return unknown
	}
	d := Description{Sensitive: n.HidesBelow, SensitiveKeys: n.HidesKeys()}
	declared := n.Leaf.Meaning()
	d.As = declared.String()
	if declared == structtag.Undeclared {
		d.As = meaningByType[n.Leaf.Strict()]
	}
	switch {
	case d.As == "":
	case declared != structtag.Undeclared:
		d.By = cmp.Or(n.Recognized, fieldplan.ByOption)
	default:
		d.By = cmp.Or(n.Recognized, "its type")
	}
	return d
}

// meaningByType are the meanings of leaves that are not strings in Go.
var meaningByType = map[leaf.Kind]string{
	leaf.Quantity: structtag.AsQuantity.String(), leaf.Duration: structtag.AsDuration.String(),
	leaf.Time: structtag.AsTime.String(), leaf.MetaTime: structtag.AsTime.String(),
	leaf.MicroTime: structtag.AsTime.String(),
}
