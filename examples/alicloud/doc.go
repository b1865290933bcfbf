// Package alicloud shows how an extension for Alibaba Cloud adopts hot updates: a first WorkerConfig with its struct tags, the eras in
// which its pools are hashed, and the provider spec that its driver reads.
//
// Alibaba Cloud is where there is no WorkerConfig today. The type is the least one that the hot-update proposal needs: tags, and the node
// template that other providers have.
package alicloud
