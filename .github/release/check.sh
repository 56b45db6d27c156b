#!/bin/sh
# Checks whether a tag can be released, and prints its notes: the section for its version in CHANGELOG.md. Runs in the root of
# the checkout.
#
#   .github/release/check.sh v1.2.3
set -eu

fail() {
    echo "error: $*" >&2
    exit 1
}

tag="$1"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)"
[ "$tag" = "v$version" ] || fail "the tag is $tag: expected v$version, the version in Cargo.toml with a v before it"

notes="$(awk -v version="$version" '
    NF == 4 && $1 == "##" && $2 == version && $3 == "-" && $4 ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/ { inside = 1; next }
    /^## / { inside = 0 }
    inside && (NF || begun) { begun = 1; print }' CHANGELOG.md)"
[ -n "$notes" ] || fail "CHANGELOG.md has no notes for $version: expected them below the heading \`## $version - YEAR-MONTH-DAY\`"
upgrading="$(printf '%s\n' "$notes" | awk '/^#/ { inside = $0 == "### Upgrading"; next } inside && NF')"
[ -n "$upgrading" ] || fail "the notes for $version in CHANGELOG.md have no text below \`### Upgrading\`: expected how to upgrade," \
    "even if there is nothing to do"

before="$(git tag --list 'v*' --merged HEAD --sort -version:refname | grep -vxF "$tag" | head -n 1)"
if [ -n "$before" ]; then
    migrations="$(git diff --name-only --diff-filter A "$before" HEAD -- 'migrations/*.sql')"
    if [ -n "$migrations" ] && [ "${upgrading#*tables}" = "$upgrading" ]; then
        fail "\`### Upgrading\` for $version in CHANGELOG.md does not mention the tables, which these migrations change:" \
            "$migrations. Expected how long that takes and what it blocks"
    fi
fi

grep -q '^release_key="[^"]\{1,\}"$' install.sh ||
    fail "install.sh names no key: expected the public half of the release key in the line \`release_key=\"...\"\`"
printf '%s\n' "$notes"
