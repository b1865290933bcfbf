// Package policy evaluates the policies of hotupdate rules --policy with the API server's own code for them, and counts
// where they warn other than plan.
package policy
