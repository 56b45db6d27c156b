#!/usr/bin/env bash
# Downloads and unpacks Debian packages without installing them. Needs no root permissions and does not change installed packages.
#
#   debian.sh unpack ROOT PACKAGE...   unpacks packages and their missing dependencies into ROOT; prints NAME=VERSION
#                                      for each
set -euo pipefail
export LC_ALL=C.UTF-8

# Makes apt write only to the folder $1, and run none of the machine's hooks. Downloads run as root, because apt's own user cannot
# enter root's folders.
settings() {
    cat <<END
Dir::State "$1/state";
Dir::Cache "$1/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
}

# Prints the packages of a simulated installation. Its lines are `Inst NAME (VERSION FROM [ARCHITECTURE]) ...`, with the installed
# version in brackets after the name, if there is one.
planned() { sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\?(\([^ ]*\) .*/\1=\3/p'; }

unpack() {
    local root=$1 work name packages archive
    shift
    work=$(mktemp -d "$root.apt-XXXXXX")
    # shellcheck disable=SC2064 # as it is now
    trap "rm -rf '$work'" EXIT
    mkdir -p "$root" "$work/archives" "$work/state/lists/partial" "$work/cache/archives/partial"
    settings "$work" > "$work/apt.conf"
    apt-get --config-file "$work/apt.conf" update >&2
    apt-get --config-file "$work/apt.conf" install --simulate --no-install-recommends --reinstall "$@" > "$work/simulation"
    mapfile -t packages < <(planned < "$work/simulation")
    for name in "$@"; do
        grep --quiet "^Inst $name " "$work/simulation" || { echo "apt-get did not select $name" >&2; exit 1; }
    done
    (cd "$work/archives" && apt-get --config-file "$work/apt.conf" download "${packages[@]}" >&2)
    for archive in "$work/archives/"*; do
        echo "unpacking ${archive##*/}" >&2
        dpkg --extract "$archive" "$root"
    done
    printf '%s\n' "${packages[@]}"
}

"$@"
