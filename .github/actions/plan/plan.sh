#!/usr/bin/env bash
# Writes in Markdown what the changes between two commits do to machines; nothing if no file among them has a Shoot, a Worker or a provider
# config. The report fits into a comment.
#
#   plan.sh OLD NEW
#
# PATHS are the files and folders to look at, a line each; FLAGS are further flags of hotupdate plan.
set -euo pipefail

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/old" "$tmp/new"

# copy COMMIT FILE TO: the file as it is in the commit, if it is there and may be of use.
copy() {
	git show "$1:$2" >"$tmp/file" 2>/dev/null && grep -qE "kind[\"']?:[[:space:]]*[\"']?(Shoot|Worker)" "$tmp/file" || return 0
	mkdir -p "$(dirname "$3/$2")"
	mv "$tmp/file" "$3/$2"
}

mapfile -t paths <<<"${PATHS:-.}"
git diff --name-only --no-renames -z "$1" "$2" -- "${paths[@]}" >"$tmp/names"
while IFS= read -r -d '' file; do
	case $file in
	*.yaml | *.yml | *.json)
		copy "$1" "$file" "$tmp/old"
		copy "$2" "$file" "$tmp/new"
		;;
	esac
done <"$tmp/names"
[ -n "$(find "$tmp/old" "$tmp/new" -type f)" ] || exit 0
code=0
# shellcheck disable=SC2086 # FLAGS are words
hotupdate plan --output markdown ${FLAGS:-} "$tmp/old" "$tmp/new" >"$tmp/out" 2>"$tmp/err" || code=$?
sed "s|$tmp/||g" "$tmp/out"
sed "s|$tmp/||g" "$tmp/err" >&2
exit "$code"
