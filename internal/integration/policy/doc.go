// Package policy evaluates the policies that hotupdate rules --policy writes with the API server's
// own code. It counts where their warnings differ from the verdicts of plan.
package policy
