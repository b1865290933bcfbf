#!/usr/bin/env bash
# Puts the command hotupdate into a folder, from the archive of a release, whose checksum it verifies, or compiled by Go.
#
#   install.sh VERSION release|go FOLDER
#
# RUNNER_OS and RUNNER_ARCH are those of GitHub's runner. RELEASES is the address of the releases.
set -euo pipefail

version=$1 source=$2 folder=$3
releases=${RELEASES:-https://github.com/hotupdate/providerconfig/releases}
mkdir -p "$folder"

# compile: by Go, from the module proxy or the repository.
compile() { GOBIN=$folder go install "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate@$version"; }

case $RUNNER_OS in
Linux) os=linux extension=tar.gz ;;
macOS) os=darwin extension=tar.gz ;;
Windows) os=windows extension=zip ;;
*) source=go ;;
esac
case $RUNNER_ARCH in
X64) arch=amd64 ;;
ARM64) arch=arm64 ;;
*) source=go ;; # the release has no other
esac
if [ "$source" = go ]; then
	compile
	exit
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
archive=hotupdate_${version#v}_${os}_$arch.$extension
for file in checksums.txt "$archive"; do
	curl --silent --show-error --fail --location --proto-redir '=https' --retry 3 --output "$tmp/$file" "$releases/download/$version/$file"
done
cd "$tmp"
grep -E "^[0-9a-f]{64}  $archive\$" checksums.txt >checksum || { echo "checksums.txt: has no $archive" >&2 && exit 1; }
if command -v sha256sum >/dev/null; then sha256sum --check --quiet checksum; else shasum -a 256 --check --quiet checksum; fi
case $extension in
zip) unzip -q "$archive" hotupdate.exe -d "$folder" ;;
*) tar -xzf "$archive" -C "$folder" hotupdate ;;
esac
