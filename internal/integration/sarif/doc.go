// Package sarif tests hotupdate plan --output sarif against the published schema of SARIF 2.1.0.
package sarif
