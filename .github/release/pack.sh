#!/bin/sh
# Packs a binary into OUTPUT/NAME-VERSION-TARGET.tar.gz, with a checksum file next to it. Archives are reproducible: the same files
# produce the same bytes.
#
#   .github/release/pack.sh TARGET OUTPUT PROGRAM [LICENCES]
#
# PROGRAM must run on this machine and print the version in Cargo.toml. The files in the folder LICENCES are packed as well.
set -eu

root="$(cd "$(dirname "$0")/../.." && pwd)"
target="$1" output="$2" program="$3" licences="${4-}"
file="$(basename "$program")"
name="${file%.exe}"
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)"
printed="$("$program" --version)"
if [ "$printed" != "$name $version" ]; then
    echo "error: $program --version prints \`$printed\`: expected \`$name $version\`" >&2
    exit 1
fi

stem="$name-$version-$target"
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
mkdir -p "$output" "$stage/$stem/completions"
cp "$program" "$root/CHANGELOG.md" "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$stage/$stem"
"$program" man "$stage/$stem/man/man1" > /dev/null
for shell in bash fish zsh; do "$program" completions "$shell" > "$stage/$stem/completions/$name.$shell"; done
# The agent creates its service files itself: `roundtrip service install`.
if [ "$name" = roundtrip-server ]; then
    for folder in grafana prometheus systemd; do cp -R "$root/server/packaging/$folder" "$stage/$stem"; done
fi
if [ -n "$licences" ]; then cp "$licences"/* "$stage/$stem"; fi

# Fixed times, owners, modes and order make the archive reproducible.
case "$(tar --version)" in
    *GNU*) owner="--owner=root:0 --group=root:0" ;;
    *) owner="--uname root --uid 0 --gname root --gid 0" ;;
esac
find "$stage/$stem" -exec env TZ=UTC touch -t 200001010000 {} +
chmod -R u=rwX,go=rX "$stage/$stem"
# shellcheck disable=SC2086 # several words
(cd "$stage" && find "$stem" | LC_ALL=C sort |
    COPYFILE_DISABLE=1 tar --format ustar $owner --no-recursion -cf packed.tar -T -)
gzip -n < "$stage/packed.tar" > "$output/$stem.tar.gz"
cd "$output"
if command -v sha256sum > /dev/null; then sum="sha256sum"; else sum="shasum -a 256"; fi
$sum "$stem.tar.gz" > "$stem.tar.gz.sha256"
