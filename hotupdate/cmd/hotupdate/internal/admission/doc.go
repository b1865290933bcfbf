// Package admission is a validating admission webhook. Its warnings say what a change of an object
// does to machines, and it refuses changes that a person must confirm first.
//
// It owns the exchange with an API server, its limits, metrics and logs. It must not know manifests or verdicts: a
// function judges the two objects of a review.
//
//   - Only an UPDATE of an object itself is judged. Every other review is admitted.
//   - Work is bounded: the bytes of a review, the reviews in memory, the comparisons at once, and
//     the time of each. The context of a review ends its comparison. A review that is not judged is
//     still answered, with one warning.
//   - A warning, a log and a metric have no values that a Schema calls sensitive. A log has the
//     identity of an object, its verdict and times. A metric has neither names nor values.
//   - The webhook does not know what was finally admitted, so no metric counts it: other webhooks
//     are asked, too, and the API server may store nothing, for example in a dry run.
//
// The types of reviews are declared here, and the text format of metrics is written here: both are a few lines that
// never change. k8s.io/api and prometheus/client_golang would be in the go.mod of every adopter of the library, and
// their 20 modules in the binary of each user of the command.
package admission
