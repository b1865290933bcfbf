// Package record is what a machine remembers of its hot updates: the annotation's JSON, and how it changes with every pass.
//
// It owns the format, and what is remembered when. It must not know machines, Schemas, drivers or the order of writes and calls: its caller
// decides when a pass is made, and hands in which leaves are Hot.
//
// # What is remembered
//
// A record consists of a header, which is enough to decide, and of contents: one for each kind of resource that has a content of its own, and
// one for every other kind, unknown ones included. A content is
//
//   - the applied hot part, which has the base of every leaf: its value, or that it is absent;
//   - entries: values and absences of leaves that may be live beside the base, since they were sent after the last success, or were the base
//     before it.
//
// A leaf is a JSON scalar at an RFC 6901 pointer. A list of scalars is as many leaves as it has elements, each of which is present or absent;
// any other list is one leaf, and so is an empty object or list. A leaf counts as applied, attempted or wanted with the value that it has.
//
// # Rules
//
//  1. A pass covers the kinds of a driver, and the leaves that are Hot. It changes nothing else: the rest is frozen, and kept as long as it
//     takes. A kind that is covered for the first time begins with the content of every other kind.
//  2. [Record.Begin] adds what is desired to the entries. [Pass.Succeeded] makes it the base, and adds the former base to the entries.
//     [Record.Confirm] begins the pass whose success drops the entries.
//  3. The entries of a content that are not frozen have a bound. What does not fit is not desired yet: such a leaf keeps its base, which
//     needs no entry. Nothing is added before everything that has to go has gone, as clouds have limits of their own. After the
//     confirmation the next slice fits.
//  4. The first pass, and every creation, write their hot part as applied for the kinds that no pass has covered: the launch gave it to
//     them.
package record
