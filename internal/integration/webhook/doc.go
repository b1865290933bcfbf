// Package webhook holds hotupdate serve behind an API server that calls it, with kubectl as the client.
package webhook
