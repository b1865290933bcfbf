// Package hotupdatelint finds mistakes in hotupdatable struct tags before the code runs: in the
// editor, in go vet, in CI.
//
// [Analyzer] reads a package's source code with the compiler that [hotupdate.SchemaOf] runs at run
// time. So it reports exactly the errors that SchemaOf would return, in the same words, at the
// responsible line. Where the correction is certain, it offers the corrected struct tag. It
// compiles
//
//   - the types for which SchemaOf is called, with the overrides of that call,
//   - every struct type that has a hotupdatable struct tag or text that looks like one. A struct
//     without any is skipped: it may not be a configuration. So is a generic struct, unless
//     SchemaOf is called for an instance.
//
// SchemaOf knows only types. The analyzer also reports
//
//   - a tagged value that is assigned to an interface field of a configuration, where its struct
//     tags have no effect (below-interface),
//   - a hashed pointer without `default=` whose default is known, from a marker such as
//     +default=false or from a defaulting function of the package: nil and the default mean the
//     same but are hashed differently (undeclared-default),
//   - a hashed pointer to a struct, list or map without `presence` that the package compares with
//     nil, as in c.Options != nil: an empty value is hashed like nil, although it may mean
//     something else (undeclared-presence). Tests, generated files, guards such as c.Options != nil
//     && c.Options.Limit > 0, and functions that default, validate, convert or copy are left out,
//   - a hash of a tagged type that is computed from the output of fmt, encoding/json or
//     sigs.k8s.io/yaml in the same function, or by hashstructure: it changes with every hot field
//     (direct-hash). Tests are left out, since their hashes name no machines.
//
// Diagnostics have the code of the [fault.Error] as their category. For code that must not change,
// such as a hash that names pools of an old era, golangci-lint suppresses a diagnostic on a line
// with the comment //nolint:hotupdatelint.
//
// The package must not implement a rule of struct tags: the compiler owns them.
package hotupdatelint
