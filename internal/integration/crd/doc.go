// Package crd holds the answers of hotupdate-crd, and what hotupdate says an API server returns, against an API server.
package crd
