package hotupdate

import "github.com/hotupdate/providerconfig/internal/rawcut"

// NullMembers says what [Schema.CutHot] does with a hot member whose value is null. The zero value is CutNulls.
type NullMembers uint8

// The choices.
const (
	CutNulls  = NullMembers(rawcut.CutNulls)  // a hot member goes, whatever its value
	KeepNulls = NullMembers(rawcut.KeepNulls) // a hot member that is null stays
)

// CutHot returns raw JSON without its Hot and Ignored members, every other byte as it was. Package hash specifies the cut at its
// function Legacy, which is the usual entry.
func (s *Schema) CutHot(raw []byte, nulls NullMembers) ([]byte, error) {
	if s.isMissing() {
		return nil, noSchema()
	}
	cut, problem := rawcut.Cut(s.plan, raw, rawcut.Nulls(nulls))
	if problem != nil {
		return nil, problem
	}
	return cut, nil
}
