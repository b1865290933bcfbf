package hotupdate

import (
	"github.com/hotupdate/providerconfig/internal/engine"
)

// AppendHot appends the Hot fields of config to dst, as JSON that the type can be decoded from. It is what a hot update applies and
// what has to be remembered of one.
//
//   - It is written as canonically as the canonical document: configurations that differ in spelling only have the same bytes. A
//     change that touches no Immutable and no InPlace field changes the bytes exactly if [Diff] lists a Hot change.
//   - Neither Ignored fields nor TypeMeta are in it. Nothing Hot at all is {}.
//   - Elements of a collection that is not Hot itself stand there if something in them is Hot, with their keys and selectors, or in
//     their places. The selector of an element that is not selected, in an Ignored collection, says no more than that it is not.
//
// The configuration is a value of the Schema's type or a pointer to one; nil is the empty configuration. On error dst is returned as it
// was.
func (s *Schema) AppendHot(dst []byte, config any) ([]byte, error) {
	v, err := s.value(config)
	if err != nil {
		return dst, err
	}
	dst, err = engine.Of(s.plan).AppendHot(dst, v)
	return dst, err
}
