// Package apiserver answers whether an API server takes a custom resource, by the API server's own code:
// k8s.io/apiextensions-apiserver.
//
// The API server's strategy validates objects: the OpenAPI schema, list types, embedded objects, rules in
// CEL and what an update may keep. Around it stands what the API server does with an object before it
// is validated, in the same order: members that the schema does not have are pruned, and defaults are filled in.
// Admission plugins and webhooks are not asked.
//
// It must not know what an answer means for machines.
package apiserver
