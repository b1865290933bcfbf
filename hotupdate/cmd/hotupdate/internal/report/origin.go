package report

import "github.com/hotupdate/providerconfig/hotupdate"

// Origin words where the class of a change comes from, as reports do, for those who show fields in another way. It holds names from a
// Schema, which may be anybody's.
func Origin(c hotupdate.Change) string { return origin(c) }
