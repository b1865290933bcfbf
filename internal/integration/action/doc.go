// Package action tests the action for pull requests, .github/actions/plan. Its steps run in their
// order, as in GitHub's runner, with git, curl and tar. GitHub's API and its releases have
// stand-ins.
package action
