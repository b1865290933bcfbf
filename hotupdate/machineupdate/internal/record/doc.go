// Package record implements the record of a machine's hot updates: the JSON of the annotation, and
// its changes with every pass.
//
// The package owns the format and the rules that FLOW.md of package machineupdate has under
// "Record". It must not know machines, Schemas, drivers or the order of writes and calls: its caller
// decides when a pass is made, and says which leaves are Hot.
//
// A content is the recorded state of one kind of resource. It has a base for every leaf: the
// applied value or absence. Its entries are the values and absences that may be live instead.
// [Record.Begin] adds the desired leaves to the entries. [Pass.Succeeded] makes them the base, and
// adds the former base to the entries. [Record.Confirm] begins the pass whose success drops the
// entries. A leaf that keeps its base needs no entry, so returning to the applied part is always
// possible.
package record
