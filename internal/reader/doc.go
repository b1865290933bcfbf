// Package reader reads raw JSON into values of a field plan's type in one pass over the bytes.
//
// It owns speed and nothing else. What is read, and what is refused, package rawjson says by the decoder that it uses; this package
// reads the same value, or gives up without a reason: the caller asks package rawjson, which explains. So there is no path, no message and
// no error in here. A run that gives up may have been wrong to; one that does not is certain that the document is read as it is
// written there, to the last nil, or it must give up.
//
// A plan is compiled into nodes by Go type. What the decoder does depends on the unmarshalers of a type, of which a plan knows nothing, and
// so they are looked up here. Whatever a type does on its own is left to it: where its value ends is found, and the bytes are handed to the
// type, or to the decoder, after package canonjson has checked them.
//
// Values are written by reflection, and those of the most usual types after an assertion of their pointer, which costs less.
package reader
