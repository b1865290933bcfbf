#!/usr/bin/env bash
# Keeps one comment on a pull request that has the report; none if the report is empty. A token that must not comment, such as that of a fork,
# is no error: a notice says so.
#
#   comment.sh OWNER/REPOSITORY NUMBER REPORT
#
# RUN_URL is the page of the job, whose summary has the whole report.
set -euo pipefail

repository=$1 number=$2 report=$3
marker='<!-- plan by hotupdate -->'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# github ARG...: calls GitHub's API, and ends if it refuses.
github() {
	gh api "$@" 2>"$tmp/error" || refused $?
}

# refused CODE: ends; without a failure where it is the token that may not.
refused() {
	cat "$tmp/error" >&2
	grep -qE 'HTTP (401|403|404)|GH_TOKEN' "$tmp/error" || exit "$1"
	echo '::notice title=no comment::The token must not comment on this pull request: it is of a fork, or the job lacks the permission' \
		'pull-requests, write. The report is in the summary of the job.' >&2
	exit 0
}

# fitting: the first lines of a text, as many as a comment holds. GitHub takes 65,536 characters.
fitting() {
	LC_ALL=C awk -v room=65000 -v more="The rest is in the [summary of the job](${RUN_URL:-})." '
		{ room -= length($0) + 1 }
		room < 0 { isCut = 1; exit }
		{ print }
		/^```/ { isCode = !isCode }
		END { if (isCut) { if (isCode) print "```"; print "\n" more } }'
}

github --paginate "repos/$repository/issues/$number/comments" \
	--jq ".[] | select(.body | startswith(\"$marker\")) | .id" >"$tmp/former"
former=$(head -n 1 "$tmp/former")
{ echo "$marker" && fitting <"$report"; } >"$tmp/body"
if [ ! -s "$report" ]; then
	[ -z "$former" ] || github --silent --method DELETE "repos/$repository/issues/comments/$former"
elif [ -n "$former" ]; then
	github --silent --method PATCH "repos/$repository/issues/comments/$former" --field "body=@$tmp/body"
else
	github --silent --method POST "repos/$repository/issues/$number/comments" --field "body=@$tmp/body"
fi
