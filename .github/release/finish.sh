#!/bin/sh
# Adds the remaining files to a folder with all archives of a release: binaries and a manifest for agents that update themselves,
# the Homebrew formula, and SHA256SUMS. It signs nothing: the workflow signs afterwards, because it has the key.
#
#   .github/release/finish.sh FOLDER
set -eu

root="$(cd "$(dirname "$0")/../.." && pwd)"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)"
cd "$1"

fail() {
    echo "error: $*" >&2
    exit 1
}

sum() {
    sha256sum "$1" | cut -d ' ' -f 1
}

# `universal` contains the binaries for both processors in one file. There is no server for Windows.
targets="x86_64-unknown-linux-musl aarch64-unknown-linux-musl universal-apple-darwin x86_64-unknown-freebsd"
for target in $targets x86_64-pc-windows-msvc; do
    for name in roundtrip roundtrip-server; do
        if [ "$name $target" = "roundtrip-server x86_64-pc-windows-msvc" ]; then continue; fi
        archive="$name-$version-$target.tar.gz"
        [ -f "$archive" ] || fail "$1 has no $archive: a release needs all archives"
        sha256sum --status --check "$archive.sha256" || fail "$archive does not match its checksum"
    done
done

# Agents on Windows do not update themselves.
formula="$(sed "s/{{version}}/$version/g" "$root/agents/packaging/homebrew/roundtrip.rb")"
programs=""
for target in $targets; do
    stem="roundtrip-$version-$target"
    formula="$(printf '%s\n' "$formula" | sed "s/{{sha256 $target}}/$(sum "$stem.tar.gz")/")"
    tar -xzOf "$stem.tar.gz" "$stem/roundtrip" > "$stem"
    entry="{ \"file\": \"$stem\", \"length_bytes\": $(wc -c < "$stem"), \"sha256\": \"$(sum "$stem")\" }"
    case "$target" in
        universal-apple-darwin) updates="aarch64-apple-darwin x86_64-apple-darwin" ;;
        *) updates="$target" ;;
    esac
    for update in $updates; do programs="$programs${programs:+, }\"$update\": $entry"; done
done
case "$formula" in *"{{"*) fail "the Homebrew formula has a target without a release" ;; esac
printf '%s\n' "$formula" > roundtrip.rb
echo "{ \"version\": \"$version\", \"programs\": { $programs } }" > manifest.json
# Without the .sha256 files: each repeats a line of this file.
sums="$(find . -type f ! -name '*.sha256' ! -name '*.minisig' ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum)"
echo "$sums" > SHA256SUMS
