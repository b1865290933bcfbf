// Package engine runs a field plan over values: it writes canonical documents and hot parts, compares, diffs, splits and merges, and puts what
// has changed into the JSON of another value.
//
// It owns the rules that pair a plan with a value. Which fields exist, and what they are, comes from package fieldplan; the text of a leaf
// from package leaf. Each rule stands in one function:
//
//	rule                                        function
//	presence of a leaf, default                 run.member, fieldplan.Field.Unset
//	presence of objects and collections         run.compositeMember, isNone
//	presence of elements                        run.keyedElement, run.sparse
//	an array that nobody has set                run.array
//	text of an element that is nil or empty     emptyText
//	order of sets                               run.set
//	order of keyed lists, duplicates            run.index; node.directionOf finds lists that are in order
//	order of maps, duplicates                   Entries; run.read for keys that are strings, which have no duplicates
//	hotwhen                                     fieldplan.Selector.Holds
//	identity of elements                        fieldplan.Node.Identity; compiler.identifies says where it is written
//	null in hot maps                            isAbsent
//	unknown members                             UnknownMembers, op.unknown
//	depth and cycles                            Ancestors.visit
//	pairs of elements                           pairing
//	whether something in a value is hashed      Program.isHashed: a run writes it
//	what comes and goes with a class            overlayer.value, by the changes that a differ lists
//
// A run, below, writes as fast as code that was written for the type by hand. Functions that take a reflect.Value copy or pair values, and ask a
// run what a value says. The tests' oracle holds both to one answer, and package mutants names the test that notices when either changes.
//
// # Runs
//
// A plan is compiled into nodes with a flat list of operations each. An operation knows the bytes of a member's header, where in its
// struct the member stands, and how its value is read. Members that are not written have no operation. A plan is compiled for
// what the canonical document holds, and for everything; and, when it is asked for, for what is hot, for what is in place, and for everything
// as JSON that can be read back.
//
// A run does not know the path of what it writes. After a fault it goes on, so that all of them are told; only a cycle, or nesting that is
// too deep, ends it. Then the same code writes the value once more and notes its path, to tell where the faults are.
//
// Rules that hold for every run:
//   - What is written on trial is cut off again; a piece is handed on only once everything in it is known to stay. A value that stands
//     in the document makes all that stands around it stay, and the identity of an element does not.
//   - Memory that is pooled between runs holds at most maxPooled entries and maxPooledBytes, and nothing of the values that were read.
//   - Memory is read by the functions of one file, memory_unsafe.go, by address. With the build tag hotupdate_reflect
//     memory_reflect.go reads it by reflection. Everything else is the same code.
//
// Memory that a run needs beyond the value is bounded by what is pooled, with these exceptions: the elements of sets, the keys of maps and
// the positions of keyed lists that are not in order are sorted in an index, which for more than maxPooled of them is made for the run;
// sets are written as a whole before they are sorted; and leaves of free JSON are brought into order as a whole.
package engine
