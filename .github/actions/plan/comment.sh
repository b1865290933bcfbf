#!/usr/bin/env bash
# Keeps one comment on a pull request that has the report; none if the report is empty.
#
#   comment.sh OWNER/REPOSITORY NUMBER REPORT
set -euo pipefail

repository=$1 number=$2 report=$3
marker='<!-- plan by hotupdate -->'
former=$(gh api --paginate "repos/$repository/issues/$number/comments" --jq ".[] | select(.body | startswith(\"$marker\")) | .id")
former=${former%%$'\n'*}
if [ ! -s "$report" ]; then
	[ -z "$former" ] || gh api --silent --method DELETE "repos/$repository/issues/comments/$former"
	exit 0
fi
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{ echo "$marker" && cat "$report"; } >"$body"
if [ -n "$former" ]; then
	gh api --silent --method PATCH "repos/$repository/issues/comments/$former" --field "body=@$body"
else
	gh api --silent --method POST "repos/$repository/issues/$number/comments" --field "body=@$body"
fi
