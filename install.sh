#!/bin/sh
# Installs a release of Roundtrip's command, checked against its checksum, or removes it: docs/how-to/install.md.
#
#   sh install.sh               the command `roundtrip`
#   sh install.sh --server      the server `roundtrip-server`
#   sh install.sh --uninstall   removes what the same words installed; data stays
#
# ROUNDTRIP_VERSION    the release, as in 1.2.3; the newest, unless said
# ROUNDTRIP_BIN        the folder; /usr/local/bin where it can be written, else ~/.local/bin
# ROUNDTRIP_RELEASES   where releases are, for mirrors: it has download/v1.2.3/ and latest/download/
# ROUNDTRIP_KEY        whose signature to believe, unless it is the project's
#
# All of it is in functions: a download of this file that is cut does nothing.
set -eu

# The public half of the key that signs releases. There is none before the first release.
release_key=""

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

note() {
    echo "install.sh: $1" >&2
}

have() {
    command -v "$1" > /dev/null 2>&1
}

# What the archive for this machine is called at its end.
target() {
    system="$(uname -s)"
    processor="$(uname -m)"
    case "$system-$processor" in
        Linux-x86_64 | Linux-amd64) echo x86_64-unknown-linux-musl ;;
        Linux-aarch64 | Linux-arm64) echo aarch64-unknown-linux-musl ;;
        Darwin-x86_64 | Darwin-arm64) echo universal-apple-darwin ;;
        FreeBSD-amd64 | FreeBSD-x86_64) echo x86_64-unknown-freebsd ;;
        *) fail "no release is made for $system on $processor: build it with cargo, or on Windows unpack the archive" ;;
    esac
}

# A file of the release, into the temporary folder.
download() {
    url="$releases/$1"
    if have curl; then
        # Who begins with HTTPS is not redirected to anything less.
        protocols="=http,https"
        case "$url" in https:*) protocols="=https" ;; esac
        curl --proto "$protocols" --fail --silent --show-error --location --retry 3 --output "$temporary/$1" "$url"
    elif have wget; then
        wget -q -O "$temporary/$1" "$url"
    elif have fetch; then
        # Of FreeBSD.
        fetch -q -o "$temporary/$1" "$url"
    else
        fail "neither curl nor wget nor fetch is here, one of which gets the release"
    fi || fail "$url cannot be had: is there such a release, and does this machine reach it?"
}

sha256() {
    if have sha256sum; then
        sha256sum < "$1"
    elif have shasum; then
        shasum -a 256 < "$1"
    elif have sha256; then
        sha256 -q "$1"
    else
        fail "neither sha256sum nor shasum nor sha256 is here, one of which checks the release"
    fi
}

# Who signed the checksums. A signature that cannot be checked is told, one that is wrong ends it.
check_signature() {
    key="${ROUNDTRIP_KEY:-$release_key}"
    if [ -z "$key" ]; then
        note "the signature is not checked: no key is known, and ROUNDTRIP_KEY names none"
    elif ! have minisign; then
        note "the signature is not checked: minisign is not here; the checksum is"
    else
        download SHA256SUMS.minisig
        minisign -Vqm "$temporary/SHA256SUMS" -P "$key" > /dev/null 2>&1 ||
            fail "SHA256SUMS is not signed by the key $key: nothing is installed"
    fi
}

# Where programs go.
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
    version="${ROUNDTRIP_VERSION:-}"
    releases="${ROUNDTRIP_RELEASES:-https://github.com/roundtrip-ipc/roundtrip/releases}"
    if [ -n "$version" ]; then
        releases="$releases/download/v$version"
    else
        releases="$releases/latest/download"
    fi
    folder="$(folder)"
    if ! mkdir -p "$folder" 2> /dev/null || ! [ -w "$folder" ]; then
        fail "$folder cannot be written to: run this as a user who may, or name another folder in ROUNDTRIP_BIN"
    fi
    temporary="$(mktemp -d)"
    # Beside its place, so that it takes its name at once or not at all.
    draft="$folder/.$program.$$"
    trap 'rm -rf "$temporary" "$draft"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    download SHA256SUMS
    check_signature
    archive="$(awk -v begin="$program-" -v end="-$target.tar.gz" '
        index($2, begin) == 1 && substr($2, length($2) - length(end) + 1) == end &&
            substr($2, length(begin) + 1, 1) ~ /[0-9]/ { print $2; exit }' "$temporary/SHA256SUMS")"
    [ -n "$archive" ] || fail "$releases/SHA256SUMS names no $program for $target"
    expected="$(awk -v name="$archive" '$2 == name { print $1; exit }' "$temporary/SHA256SUMS")"
    download "$archive"
    found="$(sha256 "$temporary/$archive")"
    [ "${found%% *}" = "$expected" ] ||
        fail "$archive is not what SHA256SUMS says: its SHA-256 is ${found%% *}, expected $expected; nothing is installed"
    inside="${archive%.tar.gz}/$program"
    tar -xzf "$temporary/$archive" -C "$temporary" "$inside" 2> /dev/null ||
        fail "$archive is damaged, or holds no $inside: nothing is installed"
    chmod 755 "$temporary/$inside"
    said="$("$temporary/$inside" --version 2>&1)" || fail "$program does not run on this machine: $said"
    if ! cp "$temporary/$inside" "$draft" || ! mv -f "$draft" "$folder/$program"; then
        fail "$folder/$program cannot be written; what was there before is as it was"
    fi
    echo "installed $said in $folder"
    case ":${PATH:-}:" in
        *":$folder:"*) ;;
        *) note "$folder is not in PATH" ;;
    esac
}

uninstall_program() {
    path="$(folder)/$1"
    [ -f "$path" ] || fail "$path is not there: name its folder in ROUNDTRIP_BIN"
    rm -f "$path" "$path.previous" || fail "$path cannot be removed: run this as a user who may"
    echo "removed $path; services, settings and data are as they were"
}

main() {
    program=roundtrip
    verb=install_program
    for word in "$@"; do
        case "$word" in
            --server) program=roundtrip-server ;;
            --uninstall) verb=uninstall_program ;;
            *) fail "$word is not understood: expected --server, --uninstall or nothing" ;;
        esac
    done
    "$verb" "$program"
}

main "$@"
