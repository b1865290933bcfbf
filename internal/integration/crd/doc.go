// Package crd compares hotupdate-crd with an API server, and also what hotupdate predicts that an
// API server returns.
package crd
