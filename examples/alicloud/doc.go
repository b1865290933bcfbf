// Package alicloud shows how an extension for Alibaba Cloud adopts hot updates: a first
// WorkerConfig with its struct tags, the eras of its hash, and the provider spec that its driver
// reads.
//
// Alibaba Cloud has no WorkerConfig today. The type has only the fields that the hot-update
// proposal needs: tags, and the node template, like other providers.
package alicloud
