// Package engine runs a field plan over values: it writes canonical documents and compares values. Each rule about values stands here
// once, and every other operation on values, such as diff, split, merge and patch, is built on its primitives.
//
// Program runs a plan over memory, as fast as code that was written for the type by hand, and gives up where something is wrong. The writer
// explains.
//
// A plan is compiled into nodes with a flat list of operations each. An operation knows the bytes of a member's header, where in its
// struct the member stands, and how its value is read. Members that cannot be in the document have no operation. There are two
// programs for a plan: one with what the canonical document keeps, and one with everything, for comparisons of whole values.
//
// Rules that hold for every run:
//   - What is written on trial is cut off again; a piece is handed on only once everything in it is known to stay. A value that stands
//     in the document makes all that stands around it stay, and the identity of an element does not.
//   - Memory that is kept between runs holds at most maxKept entries and keepCap bytes, and nothing of the values that were read.
//   - Memory is read by the functions of one file, memory_unsafe.go, by address. With the build tag hotupdate_reflect, or where the platform
//     does not allow it, memory_reflect.go reads it by reflection. Everything else is the same code.
//
// Memory that a run needs beyond the value is bounded by what is kept, with these exceptions: the elements of sets, the keys of maps and
// the places of keyed lists that are not in order are sorted in an index, which for more than maxKept of them is made for the run; sets of
// anything but words are written as a whole before they are sorted; and leaves of free JSON are brought into order as a whole.
package engine
