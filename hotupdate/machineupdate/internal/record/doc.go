// Package record is what a machine remembers of its hot updates: the annotation's JSON, and how it changes with every pass.
//
// It owns the format and the rules that package machineupdate documents under "Record". It must not know machines, Schemas, drivers or the
// order of writes and calls: its caller decides when a pass is made, and hands in which leaves are Hot.
//
// A content, what is remembered of one kind of resource, has a base for every leaf: the value that was applied, or that it is absent. Beside it are
// entries, the values and absences that may be live instead. [Record.Begin] adds what is desired to the entries. [Pass.Succeeded] makes it the
// base, and adds the former base to the entries. [Record.Confirm] begins the pass whose success drops them. A leaf that keeps its base needs no
// entry, so going back to what was applied is always possible.
package record
