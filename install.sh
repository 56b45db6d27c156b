#!/bin/sh
# Installs a release of Roundtrip after verifying its signature and checksum, or removes it: docs/how-to/install.md.
#
#   sh install.sh                        install the command `roundtrip`
#   sh install.sh --server               install the server `roundtrip-server`
#   sh install.sh [--server] --uninstall remove it; data stays
#
# ROUNDTRIP_VERSION    the release, such as 1.2.3 (default: the newest); installs old releases and downgrades as well
# ROUNDTRIP_BIN        the folder to install to (default: /usr/local/bin if writable, else ~/.local/bin)
# ROUNDTRIP_RELEASES   the address of a mirror that has download/v1.2.3/ and latest/download/
# ROUNDTRIP_KEY        the public key that must have signed the release (default: the project's key)
#
# All code is in functions, so that an incomplete download of this file does nothing.
set -eu

# The public key of releases. Empty before the first release.
release_key=""

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

note() {
    echo "install.sh: $1" >&2
}

have() {
    command -v "$1" > /dev/null 2>&1
}

# The target in the archive's name for this machine.
target() {
    system="$(uname -s)"
    processor="$(uname -m)"
    case "$system-$processor" in
        Linux-x86_64 | Linux-amd64) echo x86_64-unknown-linux-musl ;;
        Linux-aarch64 | Linux-arm64) echo aarch64-unknown-linux-musl ;;
        Darwin-x86_64 | Darwin-arm64) echo universal-apple-darwin ;;
        FreeBSD-amd64 | FreeBSD-x86_64) echo x86_64-unknown-freebsd ;;
        # Git for Windows.
        MINGW*-x86_64 | MSYS*-x86_64) echo x86_64-pc-windows-msvc ;;
        *) fail "no release for $system on $processor: build with cargo" ;;
    esac
}

# Downloads a file of the release into the temporary folder.
download() {
    url="$releases/$1"
    if have curl; then
        # Never follow a redirect from HTTPS to HTTP.
        case "$url" in http:*) protocols="=http,https" ;; *) protocols="=${url%%:*}" ;; esac
        curl --proto "$protocols" --fail --silent --show-error --location --retry 3 --output "$temporary/$1" "$url"
    elif have wget; then
        wget -q -O "$temporary/$1" "$url"
    elif have fetch; then
        # On FreeBSD.
        fetch -q -o "$temporary/$1" "$url"
    else
        fail "cannot download: install curl, wget or fetch"
    fi || fail "cannot download $url: check that the release exists and that this machine can reach it"
}

sha256() {
    if have sha256sum; then
        sha256sum < "$1"
    elif have shasum; then
        shasum -a 256 < "$1"
    elif have sha256; then
        sha256 -q "$1"
    else
        fail "cannot verify the download: install sha256sum, shasum or sha256"
    fi
}

# Whether a version or a date is lower than another one.
is_lower() {
    awk -v one="$1" -v two="$2" 'BEGIN {
        split(one, a, /[.+-]/); split(two, b, /[.+-]/)
        for (i = 1; i <= 3; i++) if (a[i] + 0 != b[i] + 0) exit !(a[i] + 0 < b[i] + 0)
        exit 1
    }'
}

# Verifies the signature of the checksums, and its statement, such as `roundtrip 1.2.3 expires 2027-03-31`. Sets the version if none
# is given. Prints a note if it cannot verify the signature, and fails if the signature or the statement is wrong.
check_signature() {
    key="${ROUNDTRIP_KEY:-$release_key}"
    if [ -z "$key" ]; then
        note "signature not verified: the project has no key yet, and ROUNDTRIP_KEY is not set"
        return
    elif ! have minisign; then
        note "signature not verified, only the checksum: minisign is not installed"
        return
    fi
    download SHA256SUMS.minisig
    statement="$(minisign -VQm "$temporary/SHA256SUMS" -P "$key" 2> /dev/null)" ||
        fail "SHA256SUMS is not signed by the key $key: nothing was installed"
    read -r project signed expires_word expires << END
$statement
END
    [ "$project $expires_word" = "roundtrip expires" ] ||
        fail "the signature states \`$statement\`: expected \`roundtrip VERSION expires YEAR-MONTH-DAY\`; nothing was installed"
    [ "${version:=$signed}" = "$signed" ] || fail "$releases has version $signed: expected $version; nothing was installed"
    # A mirror that hides newer releases could offer this one as the newest for years.
    if [ -z "${ROUNDTRIP_VERSION:-}" ] && is_lower "$expires" "$(date -u +%Y-%m-%d)"; then
        fail "the signature of version $version expired on $expires: there may be a newer release. To install this one, set" \
            "ROUNDTRIP_VERSION=$version"
    fi
}

# The folder to install to.
folder() {
    if [ -n "${ROUNDTRIP_BIN:-}" ]; then
        echo "$ROUNDTRIP_BIN"
    elif [ -w /usr/local/bin ]; then
        echo /usr/local/bin
    else
        echo "${HOME:?}/.local/bin"
    fi
}

install_program() {
    program="$1"
    target="$(target)"
    file="$program"
    case "$target" in *windows*) file="$program.exe" ;; esac
    version="${ROUNDTRIP_VERSION:-}"
    case "$version" in *[!0-9A-Za-z.+-]*) fail "invalid ROUNDTRIP_VERSION=$version: expected a version such as 1.2.3" ;; esac
    releases="${ROUNDTRIP_RELEASES:-https://github.com/roundtrip-ipc/roundtrip/releases}"
    if [ -n "$version" ]; then
        releases="$releases/download/v$version"
    else
        releases="$releases/latest/download"
    fi
    folder="$(folder)"
    if ! mkdir -p "$folder" 2> /dev/null || ! [ -w "$folder" ]; then
        fail "cannot write to $folder: run this as a user with permission, or set ROUNDTRIP_BIN to another folder"
    fi
    temporary="$(mktemp -d)"
    # In the same folder, so that `mv` replaces the program atomically.
    staged="$folder/.$program.$$"
    trap 'rm -rf "$temporary" "$staged"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    download SHA256SUMS
    check_signature
    # Without a verified signature, the first archive for this machine has the version.
    [ -n "$version" ] || version="$(awk -v begin="$program-" -v end="-$target.tar.gz" '
        index($2, begin) == 1 && substr($2, length($2) - length(end) + 1) == end {
            version = substr($2, length(begin) + 1, length($2) - length(begin) - length(end))
            if (version ~ /^[0-9][0-9A-Za-z.+-]*$/) { print version; exit }
        }' "$temporary/SHA256SUMS")"
    archive="$program-$version-$target.tar.gz"
    expected="$(awk -v name="$archive" '$2 == name { print $1; exit }' "$temporary/SHA256SUMS")"
    [ -n "$expected" ] || fail "$releases/SHA256SUMS lists no $program ${version:+$version }for $target: nothing was installed"
    installed="$("$folder/$file" --version 2> /dev/null)" || installed=""
    if [ -z "${ROUNDTRIP_VERSION:-}" ] && is_lower "$version" "${installed##* }"; then
        fail "$folder/$file is version ${installed##* }, and $releases has only $version. To downgrade, set" \
            "ROUNDTRIP_VERSION=$version"
    fi
    download "$archive"
    found="$(sha256 "$temporary/$archive")"
    [ "${found%% *}" = "$expected" ] ||
        fail "$archive does not match SHA256SUMS: its SHA-256 is ${found%% *}, expected $expected; nothing was installed"
    inside="${archive%.tar.gz}/$file"
    tar -xzf "$temporary/$archive" -C "$temporary" "$inside" 2> /dev/null ||
        fail "$archive is damaged or has no $inside: nothing was installed"
    chmod 755 "$temporary/$inside"
    printed="$("$temporary/$inside" --version 2>&1)" || fail "$program does not run on this machine: $printed"
    [ "$printed" = "$program $version" ] ||
        fail "$archive contains \`$printed\`: expected \`$program $version\`; nothing was installed"
    if ! cp "$temporary/$inside" "$staged" || ! mv -f "$staged" "$folder/$file"; then
        fail "cannot write $folder/$file: the previous version is unchanged"
    fi
    echo "installed $printed in $folder"
    case ":${PATH:-}:" in
        *":$folder:"*) ;;
        *) note "$folder is not in PATH" ;;
    esac
}

uninstall_program() {
    path="$(folder)/$1"
    [ -f "$path" ] || fail "$path does not exist: set ROUNDTRIP_BIN to its folder"
    rm -f "$path" "$path.previous" || fail "cannot remove $path: run this as a user with permission"
    echo "removed $path; services, settings and data were kept"
}

main() {
    program=roundtrip
    action=install_program
    for argument in "$@"; do
        case "$argument" in
            --server) program=roundtrip-server ;;
            --uninstall) action=uninstall_program ;;
            *) fail "unknown argument $argument: expected --server or --uninstall" ;;
        esac
    done
    "$action" "$program"
}

main "$@"
