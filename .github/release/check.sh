#!/bin/sh
# Checks whether a tag can be released and prints its release notes from CHANGELOG.md. Run it in the root of the checkout.
#
#   .github/release/check.sh v1.2.3
set -eu

fail() {
    echo "error: $*" >&2
    exit 1
}

tag="$1"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)"
[ "$tag" = "v$version" ] || fail "the tag is $tag: expected v$version, from the version in Cargo.toml"

notes="$(awk -v version="$version" '
    NF == 4 && $1 == "##" && $2 == version && $3 == "-" && $4 ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/ { inside = 1; next }
    /^## / { inside = 0 }
    inside && (NF || begun) { begun = 1; print }' CHANGELOG.md)"
[ -n "$notes" ] || fail "CHANGELOG.md has no notes for $version: add them under \`## $version - YEAR-MONTH-DAY\`"
upgrading="$(printf '%s\n' "$notes" | awk '/^#/ { inside = $0 == "### Upgrading"; next } inside && NF')"
[ -n "$upgrading" ] || fail "the notes for $version in CHANGELOG.md have no text below \`### Upgrading\`:" \
    "explain how to upgrade, or write that there is nothing to do"

before="$(git tag --list 'v*' --merged HEAD --sort -version:refname | grep -vxF "$tag" | head -n 1)"
if [ -n "$before" ]; then
    migrations="$(git diff --name-only --diff-filter A "$before" HEAD -- 'migrations/*.sql')"
    if [ -n "$migrations" ] && [ "${upgrading#*tables}" = "$upgrading" ]; then
        fail "\`### Upgrading\` for $version in CHANGELOG.md does not mention the tables that these migrations change:" \
            "$migrations. Say how long the change takes and what it blocks"
    fi
fi

grep -q '^release_key="[^"]\{1,\}"$' install.sh ||
    fail "install.sh has no release key: set the public key in the line \`release_key=\"...\"\`"
printf '%s\n' "$notes"
