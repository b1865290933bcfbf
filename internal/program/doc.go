// Package program runs a field plan over memory: it writes canonical documents and compares values as fast as code that was written
// for the type by hand.
//
// It owns speed and nothing else. What a canonical document is, package document says; this package writes the same bytes, or says
// that it cannot. Whatever is wrong with a value, or too odd to be worth speed, makes a run give up without a reason: the caller asks
// package document, which explains. So there is no path, no message and no error in here.
//
// A plan is compiled into nodes with a flat list of operations each. An operation knows the bytes of a member's header, where in its
// struct the member stands, and how its value is read. Members that cannot be in the document have no operation. There are two
// programs for a plan: one with what the canonical document keeps, and one with everything, for comparisons of whole values.
//
// Rules that hold for every run:
//   - What is written on trial is cut off again; a piece is handed on only once everything in it is known to stay. A value that stands
//     in the document makes all that stands around it stay, and the identity of an element does not.
//   - Memory that is kept between runs holds at most maxKept entries and keepCap bytes, and nothing of the values that were read.
//   - Memory is read by the functions of one file, memory_unsafe.go, by address. With the build tag purego, or where the platform
//     does not allow it, memory_reflect.go reads it by reflection. Everything else is the same code.
//
// Memory that a run needs beyond the value is bounded by what is kept, with these exceptions: the elements of sets, the keys of maps and
// the places of keyed lists that are not in order are sorted in an index, which for more than maxKept of them is made for the run; sets of
// anything but words are written as a whole before they are sorted; and leaves of free JSON are brought into order as a whole.
package program
