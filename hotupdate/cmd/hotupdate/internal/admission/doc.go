// Package admission is a validating admission webhook: it tells who changes an object what the change does to
// machines, as warnings, and refuses what a person has to confirm first.
//
// It owns the exchange with an API server, its limits, metrics and logs. It must not know manifests or verdicts: a
// function judges the two objects of a review.
//
//   - A review is answered with what it is about: nothing but UPDATE of an object itself is judged.
//   - Work is bounded: the bytes of a review, the reviews in memory, the comparisons at once, and the time of each. The
//     context of a review ends its comparison. A review that is not judged is answered all the same, with one warning.
//   - A warning, a log and a metric have no values that a Schema calls sensitive. A log has the identity of an object,
//     its verdict and times, and a metric has neither names nor values.
//   - What was finally admitted is not known here: other webhooks are asked beside this one, and the API server may
//     store nothing, such as in a dry run. No metric claims it.
//
// The types of reviews are declared here, and the text format of metrics is written here: both are a few lines that
// never change. k8s.io/api and prometheus/client_golang would be in the go.mod of every adopter of the library, and
// their 20 modules in the binary of each user of the command.
package admission
