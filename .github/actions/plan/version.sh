#!/usr/bin/env bash
# Writes which build of the command is used, as outputs of a step:
#
#   version.sh VERSION >>"$GITHUB_OUTPUT"
#
# VERSION is latest, a tag, or a commit or branch. The outputs are version, which is a tag for latest; source, which is release where the
# release has binaries, and go where the command is to be compiled; and key, the name of the build in a cache, or nothing if the version may
# move. RELEASES is the address of the releases.
set -euo pipefail

releases=${RELEASES:-https://github.com/hotupdate/providerconfig/releases}
version=$1 source=go key=

# status URL: the HTTP status of an address, after redirections.
status() { curl --silent --show-error --location --retry 3 --head --output /dev/null --write-out '%{http_code}' "$1"; }

if [ "$version" = latest ]; then
	url=$(curl --silent --show-error --fail --retry 3 --head --output /dev/null --write-out '%{redirect_url}' "$releases/latest")
	[[ $url != */tag/* ]] || version=${url##*/tag/}
fi
if [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
	key=$version
	found=$(status "$releases/download/$version/checksums.txt")
	case $found in
	200) source=release ;;
	404) ;;
	*) echo "$releases/download/$version/checksums.txt: HTTP status $found" >&2 && exit 1 ;;
	esac
elif [[ $version =~ ^[0-9a-f]{40}$ ]]; then
	key=$version
elif [[ ! $version =~ ^[0-9A-Za-z][0-9A-Za-z._/-]*$ ]]; then
	echo "version: must be latest, a tag such as v1.2.3, a commit or a branch" >&2 && exit 1
fi
printf '%s\n' "version=$version" "source=$source" "key=$key"
