#!/usr/bin/env bash
# Writes in Markdown what the changes between two commits do to machines; nothing if no file among them has a Shoot, a Worker or a provider
# config. The report names files as the repository does. It begins with what could not be judged.
#
#   plan.sh OLD NEW [COMMIT...]
#
# The clone must have the further commits too: the merge of a pull request has a second parent. PATHS are the files and folders to look at, as
# git's pathspecs, a line each. FAIL_ON is the value of --fail-on, FLAGS are further flags of hotupdate plan. The exit code is that of
# hotupdate plan.
set -euo pipefail

old=$1 new=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/old" "$tmp/new"

# unjudged: the lines of standard input as a part of the report. They name files of a pull request, which may be called anything, so they are
# code by indentation, which no line can end.
unjudged() {
	printf '**not judged**\n\n'
	sed -n -e '1,30s/^/    /p' -e '31s/.*/    .../p'
	printf '\n'
}

# logged: the lines of standard input in the log. None is a command to the runner, which a file could be named like.
logged() { sed 's/^[[:space:]]*::/: :/' >&2; }

# refuse TEXT: ends with an error that the report has.
refuse() {
	logged <<<"$1"
	unjudged <<<"$1"
	exit 1
}

for commit in "$@"; do
	git rev-parse --quiet --verify "$commit^{commit}" >/dev/null ||
		refuse "$commit: is not in the clone; check out the merge of the pull request, with fetch-depth: 2"
done

# The kinds of manifests. Custom resources may have any.
kinds="kind[\"']?[[:space:]]*:[[:space:]]*[\"']?(Shoot|Worker)"
case " ${FLAGS:-}" in
*' --crd'*) kinds='' ;;
esac

# copy COMMIT FILE TO: the file as it is in the commit, if it is there and has a manifest. Without its zero bytes, UTF-16 is legible to grep.
copy() {
	git show "$1:$2" >"$tmp/file" 2>/dev/null || return 0
	tr -d '\000' <"$tmp/file" | grep -E "$kinds" >/dev/null || return 0
	mkdir -p "$(dirname "$3/$2")"
	mv "$tmp/file" "$3/$2"
}

# overlays COMMIT TO: the kustomizations above changed files, where they make something of manifests. What they make is not known, so the
# command refuses them.
overlays() {
	local file folder below
	git grep -l -z -e '' "$1" -- ':(top,glob)**/kustomization.yaml' ':(top,glob)**/kustomization.yml' ':(top,glob)**/Kustomization' \
		${excluded[@]+"${excluded[@]}"} >"$tmp/overlays" || return 0
	while IFS= read -r -d '' file; do
		file=${file#"$1:"}
		folder=$(dirname "$file")
		changed_below "$folder" || continue
		below=${folder#.}
		! git show "$1:$file" | grep -E '\.\./|://' >/dev/null || below= # it uses what is elsewhere
		git grep -q -E "$kinds" "$1" -- ":(top,literal)$below" || continue
		mkdir -p "$2/$folder"
		git show "$1:$file" >"$2/$folder/kustomization.yaml"
	done <"$tmp/overlays"
}

# changed_below FOLDER: whether a changed file stands in it.
changed_below() {
	local file
	for file in "${changed[@]}"; do
		case $file in
		"$1"/*) return 0 ;;
		*) [ "$1" != . ] || return 0 ;;
		esac
	done
	return 1
}

paths=() excluded=()
while IFS= read -r path; do
	case $path in
	'') continue ;;
	':!'* | ':^'*) excluded+=("$path") ;;
	esac
	paths+=("$path")
done <<<"${PATHS:-}"
[ ${#paths[@]} -gt 0 ] || paths=(.)
git diff --name-only --no-renames -z "$old" "$new" -- "${paths[@]}" >"$tmp/names" || refuse 'git does not understand the paths'
changed=()
while IFS= read -r -d '' file; do
	changed+=("$file")
	case $file in
	*.yaml | *.yml | *.json)
		copy "$old" "$file" "$tmp/old"
		copy "$new" "$file" "$tmp/new"
		;;
	esac
done <"$tmp/names"
[ ${#changed[@]} -gt 0 ] || exit 0
overlays "$old" "$tmp/old"
overlays "$new" "$tmp/new"
[ -n "$(find "$tmp/old" "$tmp/new" -type f)" ] || exit 0

# named: files have their names in the repository.
named() { sed -e "s|$tmp/new/||g" -e "s|$tmp/old/|before: |g" -e "s|$tmp/new|after|g" -e "s|$tmp/old|before|g"; }

code=0
# shellcheck disable=SC2086 # FLAGS are words
hotupdate plan --output markdown ${FAIL_ON:+--fail-on="$FAIL_ON"} ${FLAGS:-} "$tmp/old" "$tmp/new" >"$tmp/out" 2>"$tmp/err" || code=$?
case $code in
0 | 9 | 1[0-5]) named <"$tmp/err" | logged ;;
*)
	named <"$tmp/err" >"$tmp/named"
	[ -s "$tmp/named" ] || echo "hotupdate plan ended with exit code $code" >"$tmp/named"
	logged <"$tmp/named"
	unjudged <"$tmp/named"
	;;
esac
named <"$tmp/out"
exit "$code"
