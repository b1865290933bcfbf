// Package webhook tests hotupdate serve behind an API server that calls it. The client is kubectl.
package webhook
