// Package crdplugin is the protocol between hotupdate and the command hotupdate-crd, which asks the API
// server's own code whether it takes a custom resource.
//
// hotupdate-crd reads JSON values from its standard input, one a line: first a [Setup], then any number
// of [Question]s. It writes one line for each: first a [Ready], then an [Answer] for each question, in
// their order. It ends with its input. Lines that it cannot use get an answer with an error. Its exit
// code is 0 if it could answer all lines, and 1 if not: the setup was refused, or its input or output
// failed.
//
//   - Both sides compare the format version. Within a version, members may be added: a reader ignores
//     members that it does not know.
//   - Texts have no values of an object in them.
//   - The package needs only the standard library. It exists twice with the same bytes, below internal
//     of the main module and of the module hotupdate/crd, because neither of the modules may depend on
//     the other.
package crdplugin

import "encoding/json"

// Command is the name of the command, as hotupdate looks for it in the PATH.
const Command = "hotupdate-crd"

// FormatVersion is the version of the protocol.
const FormatVersion = 1

// MaxRefusals bounds the refusals of an answer: for each of them, updates are tried.
const MaxRefusals = 20

// Setup is what all questions have in common.
type Setup struct {
	FormatVersion int `json:"formatVersion"`
	// Kubernetes is the minor version of the API server, such as 1.29. If it is empty, it is the one
	// whose code answers. It decides whether an update may keep what the API server would not create,
	// which Kubernetes permits from 1.30 on.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Definitions are the CustomResourceDefinitions of apiextensions.k8s.io/v1.
	Definitions []json.RawMessage `json:"definitions"`
}

// Ready answers the setup.
type Ready struct {
	FormatVersion int `json:"formatVersion"`
	// APIServer is the version of Kubernetes whose code answers, such as v1.36.4.
	APIServer string `json:"apiServer"`
	// Ignored says which definitions are not used, and why.
	Ignored []string `json:"ignored,omitempty"`
	// Error says why no question can be answered. It is empty if they can.
	Error string `json:"error,omitempty"`
}

// Question asks whether New is taken after Old. Without an Old, New is created. Both are objects of one
// version of a kind. A missing namespace is default, as for kubectl.
type Question struct {
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new"`
}

// Answer is the API server's answer to a question.
type Answer struct {
	// Error says why there is no answer: no definition has the version of the kind, or the API server's
	// code failed.
	Error string `json:"error,omitempty"`
	// Refusals are the reasons to refuse New, the first [MaxRefusals] in the order of their paths. It is taken
	// if there are none.
	Refusals []Refusal `json:"refusals,omitempty"`
	// More is the number of reasons beside these.
	More int `json:"more,omitempty"`
	// Incomplete says that the API server checks further rules only once these refusals are mended.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Refusal is a reason to refuse an object.
type Refusal struct {
	// Path is where the API server finds the mistake, such as spec.groups[0].name. It is empty if it
	// names no field.
	Path string `json:"path,omitempty"`
	// Text is what is wrong. If the API server's own text has a value of the object, it is replaced.
	Text string `json:"text"`
	// Update says which updates of an object that has the mistake already are refused for it, if New is
	// created.
	Update Update `json:"update,omitempty"`
	// Kept is the path whose value an update has to keep for [RefusedWhereChanged]. An element of a list
	// with keys is kept if its keys are, wherever it stands.
	Kept string `json:"kept,omitempty"`
}

// Update says which updates are refused for a mistake that the stored object already has, and that the
// update does not mend.
type Update string

// The kinds of updates.
const (
	// RefusedAlways refuses every update, also one that only sets a label.
	RefusedAlways Update = "always"
	// RefusedWhereChanged refuses the updates that change what is at [Refusal.Kept].
	RefusedWhereChanged Update = "changed"
	// NeverRefused refuses no update.
	NeverRefused Update = "never"
)
