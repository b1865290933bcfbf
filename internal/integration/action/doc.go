// Package action tests the action for pull requests, .github/actions/plan: its steps run in their
// order, as GitHub's runner would run them, with git, curl and tar, and stand-ins for GitHub's API
// and its releases.
package action
