#!/usr/bin/env bash
# Writes in Markdown what the changes between two commits do to machines; nothing if no file among them has a Shoot, a Worker or a provider
# config. The report names files as the repository does. It begins with what could not be judged.
#
#   plan.sh OLD NEW [COMMIT...]
#
# The clone must have the further commits too: the merge of a pull request has a second parent. PATHS are the files and folders to look at, as
# git's pathspecs, a line each. FAIL_ON is the value of --fail-on, FLAGS are further flags of hotupdate plan. The config file is that of OLD. The
# exit code is that of hotupdate plan, and 1 if the paths match no manifest.
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

# The kinds of manifests, also as SOPS encrypts them. Custom resources may have any.
kind="kind[\"']?[[:space:]]*:[[:space:]]*[\"']?"
kinds="$kind(Shoot|Worker|WorkerConfig|ENC\\[)([^[:alnum:]]|\$)"
case " ${FLAGS:-}" in
*' --crd'*) kinds='' ;;
esac

# copy COMMIT FILE TO: the file as it is in the commit, if it is there.
copy() {
	git show "$1:$2" >"$tmp/file" 2>/dev/null || return 0
	mkdir -p "$(dirname "$3/$2")"
	mv "$tmp/file" "$3/$2"
}

# concerns COMMIT FILE: whether the file has a manifest, or cannot be read: git-crypt and git-lfs leave no text of it. Without its zero bytes,
# UTF-16 is legible to grep. A kind may come from a template.
concerns() {
	git show "$1:$2" >"$tmp/file" 2>/dev/null || return 1
	tr -d '\000' <"$tmp/file" >"$tmp/text"
	LC_ALL=C grep -q -a -E "$kinds" "$tmp/text" && return 0
	LC_ALL=C grep -q -a -E '^.?.?GITCRYPT|^version https://git-lfs' "$tmp/text" && return 0
	grep -q -a 'gardener\.cloud/' "$tmp/text" && LC_ALL=C grep -q -a -E "$kind(\\{\\{|\\\$\\{)" "$tmp/text"
}

# charts COMMIT TO: the charts of Helm above changed files, or of changed values, that have manifests. What Helm makes of them is not known, so
# the command refuses them.
charts() {
	local file folder chart root handed
	git grep -l -z -e '' "$1" -- ':(top,glob)**/Chart.yaml' ${excluded[@]+"${excluded[@]}"} >"$tmp/charts" || return 0
	while IFS= read -r -d '' file; do
		file=${file#"$1:"}
		folder=$(dirname "$file")
		changed_below "$folder" || changed_values || continue
		chart=$(git show "$1:$file")
		{
			echo "$folder"
			sed -n -E "s|^[[:space:]-]*repository:[[:space:]]*[\"']?file://([^\"']*)[\"']?[[:space:]]*\$|$folder/\\1|p" <<<"$chart"
		} | sed -E -e ':a' -e 's|[^/]+/\.\./||' -e 'ta' >"$tmp/roots"
		handed=
		while IFS= read -r root; do
			hand_over "$1" "$2" "${root#./}"
		done <"$tmp/roots"
		[ -z "$handed" ] || copy "$1" "$file" "$2"
	done <"$tmp/charts"
}

# hand_over COMMIT TO FOLDER: what manifests a folder has, and archives, which may have some.
hand_over() {
	local found below=${3#.}
	git grep -l -z -a -E -e "$kinds" "$1" -- ":(top,literal)$below" >"$tmp/found" || true
	git ls-tree -r -z --name-only --full-tree "$1" -- ${below:+"$below"} >"$tmp/all" || true
	while IFS= read -r -d '' found; do
		copy "$1" "${found#"$1:"}" "$2"
		handed=yes
	done <"$tmp/found"
	while IFS= read -r -d '' found; do
		case $found in
		*.tgz) copy "$1" "$found" "$2" && handed=yes ;;
		esac
	done <"$tmp/all"
}

# changed_values: whether a changed file is called like values of a chart, which may stand anywhere.
changed_values() {
	local file
	for file in "${changed[@]}"; do
		case $(basename "$file") in
		*values*.yaml | *values*.yml) return 0 ;;
		esac
	done
	return 1
}

# substituted COMMIT TO: manifests with variables, if the request changes a substitution of Flux: one in a Kustomization, or a ConfigMap or Secret
# where some have variables.
substituted() {
	local file isSubstitution=
	for file in "${changed[@]}"; do
		git show "$1:$file" >"$tmp/file" 2>/dev/null || continue
		! grep -q 'postBuild' "$tmp/file" || isSubstitution=yes
		! grep -q -E "$kind(ConfigMap|Secret)" "$tmp/file" || ! git grep -q 'substituteFrom' "$1" || isSubstitution=yes
	done
	[ -n "$isSubstitution" ] || return 0
	git grep -l -z -F -e "\${" "$1" -- ':(top,glob)**/*.yaml' ':(top,glob)**/*.yml' ':(top,glob)**/*.json' ${excluded[@]+"${excluded[@]}"} \
		>"$tmp/variables" || return 0
	while IFS= read -r -d '' file; do
		file=${file#"$1:"}
		! concerns "$1" "$file" || copy "$1" "$file" "$2"
	done <"$tmp/variables"
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

# matches PATH...: whether a commit has a file that the paths choose.
matches() {
	local empty
	empty=$(git hash-object -t tree /dev/null)
	! git diff --no-ext-diff --quiet "$empty" "$old" -- "$@" || ! git diff --no-ext-diff --quiet "$empty" "$new" -- "$@"
}

for path in "${paths[@]}"; do
	case $path in
	':!'* | ':^'*) ;;
	*) matches "$path" || refuse "paths: $path matches no file, neither before nor after the change" ;;
	esac
done
matches "${paths[@]}" || refuse 'paths: every file is left out'

# has_manifest COMMIT: whether a file that the paths choose has a manifest, or may make one, or cannot be read.
has_manifest() {
	git grep -l -a -E -e "$kinds" -e "$kind(\\{\\{|\\\$\\{)" -e 'GITCRYPT|^version https://git-lfs' "$1" -- "${paths[@]}" >"$tmp/found" || true
	! grep -E '\.(yaml|yml|json)"?$' "$tmp/found" >/dev/null || return 0
	git grep -l -e '' "$1" -- "${paths[@]}" >"$tmp/found" || true
	grep -E '(^|[:/])(([kK]ustomization|Chart)(\.ya?ml)?|[^/]*values[^/]*\.ya?ml)"?$' "$tmp/found" >/dev/null
}

has_manifest "$old" || has_manifest "$new" ||
	refuse 'paths: no file has a Shoot, a Worker or a provider config, neither before nor after the change'
changed=()
while IFS= read -r -d '' file; do
	changed+=("$file")
	case $file in
	*.yaml | *.yml | *.json)
		concerns "$old" "$file" || concerns "$new" "$file" || continue
		copy "$old" "$file" "$tmp/old"
		copy "$new" "$file" "$tmp/new"
		;;
	esac
done <"$tmp/names"
[ ${#changed[@]} -gt 0 ] || exit 0
overlays "$old" "$tmp/old"
overlays "$new" "$tmp/new"
charts "$old" "$tmp/old"
charts "$new" "$tmp/new"
substituted "$old" "$tmp/old"
substituted "$new" "$tmp/new"
for file in "${changed[@]}"; do # with manifests, the command says it
	[ "$(basename "$file")" != .hotupdate.yaml ] || [ -n "$(find "$tmp/old" "$tmp/new" -type f)" ] ||
		printf '%s\n' 'The config file .hotupdate.yaml is changed. It counts from the next change on.'
done
[ -n "$(find "$tmp/old" "$tmp/new" -type f)" ] || exit 0

# named: files have their names in the repository.
named() { sed -e "s|$tmp/new/||g" -e "s|$tmp/old/|before: |g" -e "s|$tmp/new|after|g" -e "s|$tmp/old|before|g"; }

code=0
# shellcheck disable=SC2086 # FLAGS are words
hotupdate plan --output markdown --allow-none --base="$old" ${FAIL_ON:+--fail-on="$FAIL_ON"} ${FLAGS:-} "$tmp/old" "$tmp/new" >"$tmp/out" 2>"$tmp/err" || code=$?
case $code in
0 | 9 | 1[0-8]) named <"$tmp/err" | logged ;;
*)
	named <"$tmp/err" >"$tmp/named"
	[ -s "$tmp/named" ] || echo "hotupdate plan ended with exit code $code" >"$tmp/named"
	logged <"$tmp/named"
	unjudged <"$tmp/named"
	;;
esac
named <"$tmp/out"
exit "$code"
