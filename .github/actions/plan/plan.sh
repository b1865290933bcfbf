#!/usr/bin/env bash
# Writes in Markdown what the changes between two commits do to machines, as hotupdate plan --git does; nothing if no changed file concerns a
# Shoot, a Worker, a provider config or a resource of --crd. The report begins with what could not be judged.
#
#   plan.sh OLD NEW [COMMIT...]
#
# The clone must have the further commits too: the merge of a pull request has a second parent. PATHS are the files and folders to look at, as
# git's pathspecs, a line each. FAIL_ON is the value of --fail-on, FLAGS are further flags of hotupdate plan. The exit code is that of hotupdate
# plan.
set -euo pipefail

old=$1 new=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# unjudged: the lines of standard input as a part of the report. They name files of a pull request, which may be called anything, so they are
# code by indentation, which no line can end.
unjudged() {
	printf '**not judged**\n\n'
	sed -n -e '1,30s/^/    /p' -e '31s/.*/    .../p'
	printf '\n'
}

# logged: the lines of standard input in the log. None is a command to the runner, which a file could be named like.
logged() { sed 's/^[[:space:]]*::/: :/' >&2; }

for commit in "$@"; do
	git rev-parse --quiet --verify "$commit^{commit}" >/dev/null && continue
	why="$commit: is not in the clone; check out the merge of the pull request, with fetch-depth: 2"
	logged <<<"$why"
	unjudged <<<"$why"
	exit 1
done

paths=()
while IFS= read -r path; do
	[ -z "$path" ] || paths+=("$path")
done <<<"${PATHS:-}"
[ ${#paths[@]} -gt 0 ] || paths=(.)

code=0
# shellcheck disable=SC2086 # FLAGS are words
hotupdate plan --git="$old..$new" --output markdown ${FAIL_ON:+--fail-on="$FAIL_ON"} ${FLAGS:-} -- "${paths[@]}" >"$tmp/out" 2>"$tmp/err" || code=$?
case $code in
0 | 9 | 1[0-8]) logged <"$tmp/err" ;;
*)
	[ -s "$tmp/err" ] || echo "hotupdate plan ended with exit code $code" >"$tmp/err"
	logged <"$tmp/err"
	unjudged <"$tmp/err"
	;;
esac
cat "$tmp/out"
exit "$code"
