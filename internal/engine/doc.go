// Package engine runs a field plan over values: it writes canonical documents and hot parts,
// compares, diffs, splits and merges, and puts what has changed into the JSON of another value.
//
// It owns the rules that pair a plan with a value. Package fieldplan says which fields exist and
// how they are classified; package leaf writes the text of a leaf. Each rule is in one function, and
// a test of package repository looks for second owners:
//
//	rule                                        function
//	presence of a leaf, default                 run.member, fieldplan.Field.Unset
//	presence of objects and collections         run.closeObject, closeMember, closeDefault, Field.HasPresenceOf
//	presence of elements                        run.keyedElement, run.list
//	an unset array                              run.array
//	text of an element that is nil or empty     emptyText
//	order of sets                               run.joinSet
//	order of keyed lists, repeated keys         run.index, by levels; routine.directionOf finds lists in order
//	order of maps, duplicates                   routine.entries; run.read for strings, which have no duplicates
//	class of a single key of a map              fieldplan.Node.RuleOf
//	hotwhen                                     fieldplan.Selector; selector.holds reads the element
//	identity of elements                        fieldplan.Node.Identity; compiler.identifies says where it is written
//	null: of elements, in hot maps              routine.isNull, routine.isAbsent
//	unknown members                             routine.unknownMembers, op.unknown
//	depth and cycles                            Ancestors.visit
//	pairs of elements                           pairing; pairsOf and number, for those of one key
//	whether something in a value is hashed      Program.isHashed: a run writes it
//	what is added and removed with a class      overlay, by the changes that a diff lists
//	text of paths and pointers                  package fieldpath
//	grammar of JSON, text of strings, numbers   package canonjson, by whose Scanner rawjson and strip read
//	trees of decoded JSON, with exact numbers   package jsonpatch; those of manifests: the command's package tree
//	prefix of errors, name of the struct tag    packages fault and structtag
//
// Values in Go are written by a run, see below, nearly as fast as by code for one type. Functions that
// take a reflect.Value copy or pair values; they leave texts and presence to a run. The tests
// compare both with an oracle, and package mutants names the test that fails when a rule changes.
//
// # Runs
//
// Each node of a plan is compiled into a routine. The routine of an object has a list of operations.
// An operation knows the bytes of a member's header, the member's location in its struct, and how to
// read its value. Members that are not written have no operation. A plan is compiled twice, for the
// canonical document and for all fields, and on demand for Hot fields, for InPlace fields, and for
// all fields as JSON that can be decoded.
//
// A run does not record the path of the part that it writes. It continues after a fault, so that it
// finds all faults; only a cycle and too deep nesting end it. If it found a fault, the same code
// writes the value once more, with the path, to report where the faults are.
//
// Rules that hold for every run:
//   - A part that may turn out empty is written on trial and removed again. Bytes go to the digest
//     only once they are final. A written value makes everything around it final; the identity of
//     an element does not.
//   - Memory that is pooled between runs holds at most maxPooledText bytes, maxPooledSpans places in
//     them and maxPooled values, no references to users' values, and nothing that may be sensitive.
//   - Only the functions of memory_unsafe.go read memory by address. With the build tag
//     hotupdate_reflect, memory_reflect.go replaces them by reflection. All other code is the same.
//
// # Raw JSON
//
// The canonical document of raw JSON is written by a transcript, without a Go value. It reads the
// JSON once, by the steps of package rawjson, and writes each member where it stands. It brings the
// members of an object, the entries of a map and the elements of a keyed list into their order when
// the object or collection ends. The text of a leaf comes from package leaf. Whether something is
// written is decided by the functions of a run that the table names, from the text.
//
// What only a Go value can tell is read into one and written by a run, part by part: see [source].
// A transcript finds no faults: if anything is wrong, or it cannot tell, the caller reads the whole
// value, which finds all faults with their paths. A transcript that is too strict is slow, and never
// wrong. The tests hold it against the run of the value, and both against the oracle.
//
// A diff of raw JSON writes each member of both documents by transcripts, with the fields of all
// classes. Members with one text are the same; values are made of the others alone.
//
// A diff of Go values first passes what is spelled alike in Go, see [routine.isSame], and looks into
// the rest.
//
// # Memory
//
// A run needs no more memory than the pooled memory, with three exceptions. More than maxPooled
// elements of a set, keys of a map, or elements of a keyed list out of order are sorted in an index
// that is allocated for the run. Sets are written as a whole before they are sorted. Leaves of free
// JSON are sorted as a whole.
package engine
