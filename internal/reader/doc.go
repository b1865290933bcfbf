// Package reader reads raw JSON into values of a field plan's type in one pass over the bytes.
//
// It owns speed and nothing else. What is read, and what is refused, package rawjson says by the decoder that it uses; this package
// reads the same value, to the last nil, or gives up without a reason: the caller asks package rawjson, which explains. So there is no
// path, no message and no error in here. It must not know classes.
//
// A plan is compiled into nodes by Go type. What the decoder does depends on the unmarshalers of a type, of which a plan says nothing, and
// so they are looked up here. Whatever a type does on its own is left to it: where its value ends is found, package canonjson checks the
// bytes, and they are handed to the type, or to the decoder.
//
// Given up are:
//   - what is wrong, and what is nested deeper than maxDepth;
//   - members with the option string, arrays with more elements than places, maps whose keys are no plain strings, and types whose methods
//     the decoder may not see: unnamed ones, those behind pointer types with a name, and embedded ones that are not exported but have a
//     JSON name; each wherever it has a value;
//   - objects that may have unknown members, or that have more than maxFields fields, and configurations that read themselves.
//
// Memory that is kept between runs holds at most maxKept entries and keepCap bytes, and no text of what was read but what is left in the
// buffer for escapes and checks.
package reader
