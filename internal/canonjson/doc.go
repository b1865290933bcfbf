// Package canonjson writes the canonical JSON text of strings, numbers and values of unknown type.
//
// Values of equal meaning have equal bytes, and values of different meaning have different bytes.
// This never changes: the bytes are hashed, and the hash decides whether machines are replaced.
// Changing any rule below needs a new name for the hash format.
//
// The package owns the text. It must not know Go types, Schemas, classes or paths: its callers add
// the path to a problem.
//
// # Output
//
// The text is JSON according to RFC 8259, in UTF-8, without white space. hash/FORMAT.md has its
// grammar. The rules in detail:
//
// Strings:
//  1. Only characters for which JSON demands it are escaped, by the shortest escape: \" \\ \b \t \n
//     \f \r, and \u00xx in lower case for the other characters below U+0020. So "/", "<", DEL and
//     U+2028 are not escaped.
//  2. Text is not normalised: texts that are equivalent in Unicode stay different.
//  3. Invalid UTF-8 and a lone \u surrogate are errors. Unicode's noncharacters, U+0000 among the
//     escaped, and U+FEFF are text.
//
// Numbers, in the layout of ECMAScript's Number::toString, which RFC 8785 and encoding/json use
// too, but exact at any size. Let the value be 0.d1…dk × 10ⁿ, where d1…dk are all its decimal
// digits without leading and trailing zeros:
//  1. Zero, in every spelling and with either sign, is 0.
//  2. k ≤ n ≤ 21: the digits, then n-k zeros: 100.
//  3. 0 < n < k and n ≤ 21: the digits with a decimal point after the first n: 12.5.
//  4. -6 < n ≤ 0: "0.", then -n zeros, then the digits: 0.000001.
//  5. Otherwise d1, a decimal point and d2…dk if k > 1, "e", the sign of n-1, be it "+" or "-", and
//     |n-1| without leading zeros: 1.5e+21, 1e-7.
//  6. |n-1| is at most [MaxExponent]. The number of digits is not limited.
//  7. A float stands for the shortest decimal that reads back as the same float of its width.
//
// Objects and arrays:
//  1. Members are sorted by the UTF-8 bytes of their unescaped names. This differs from the order
//     of UTF-16 code units, which RFC 8785 uses, and from that of the escaped names.
//  2. A name that occurs twice in one object, compared unescaped, is an error.
//  3. Nothing is dropped: null members and empty objects stay. Elements keep their order.
//  4. Objects and arrays nest at most [MaxDepth] deep.
//
// A canonical text is its own canonical text.
//
// # Errors
//
// A nil *fault.Error means success. Otherwise dst is returned as it was. A problem names a byte
// offset and never quotes a value or a member's name, since either may be secret. The caller sets
// its Path.
package canonjson
