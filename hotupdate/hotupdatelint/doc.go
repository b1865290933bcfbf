// Package hotupdatelint finds mistakes in hotupdatable struct tags while the code is written: in the editor, in go vet, in CI.
//
// [Analyzer] reads a package's source code with the compiler that [hotupdate.SchemaOf] runs at run time. So it reports exactly the
// errors that SchemaOf would return, in the same words, at the line to blame, and offers the corrected struct tag where there is no doubt
// about it. It compiles
//
//   - the types that SchemaOf is called with, under the overrides of that call,
//   - every struct type that has a hotupdatable struct tag or something that looks like one. A struct without any is not looked at: it may be
//     no configuration. Neither is a generic one, unless a Schema is made of an instance.
//
// Beyond SchemaOf, which knows nothing but types, it reports
//
//   - a tagged value that is put into a field of a configuration whose type is an interface, where its struct tags have no effect (below-interface),
//   - a hashed pointer without `default=` whose default is known, from a marker such as +default=false or from a defaulting function
//     of the package: unset and the default mean the same and are hashed differently (undeclared-default),
//   - a hashed pointer to a struct, list or map without `presence` that the package compares with nil, as in c.Options != nil: an empty
//     value, which may then mean something else than none, is hashed as none (undeclared-presence). Tests, generated files, guards such as
//     c.Options != nil && c.Options.Limit > 0, and functions that default, validate, convert or copy are left out,
//   - a hash of a tagged type that is computed from the output of fmt, encoding/json or sigs.k8s.io/yaml in the same function, or by
//     hashstructure: it changes with every hot field (direct-hash). Tests are left out, as they name no machines.
//
// Diagnostics carry the code of the [fault.Error] as their category. What must stay as it is, such as a hash that names pools of an old
// era, golangci-lint leaves out where a comment //nolint:hotupdatelint stands.
//
// The package must not know a rule of struct tags itself: they are the compiler's.
package hotupdatelint
