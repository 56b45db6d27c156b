#!/usr/bin/env bash
# Wine of the toolchain of `cargo xtask cross`, a folder that `cargo xtask cross` fetches:
#
#   wine.sh run TOOLCHAIN PROGRAM [ARGUMENT...]   runs a Windows program, as cargo's runner
#   wine.sh complete TOOLCHAIN                    adds what Debian's Wine lacks, and a first prefix
#   wine.sh layout TEMPLATE PREFIX                makes a prefix like another one
#
# Each program has a prefix of its own, so that they do not affect each other and can start at the same time. It has its own registry
# and folders of users; the system's folder is the template's.
set -euo pipefail

here=$(dirname "$0")
timestamp=.update-timestamp

# A path as Windows programs write it: `Z:` is the root.
windows_path() { echo "Z:${1//\//\\}"; }

use() {
    toolchain=$1
    wine=$toolchain/root/usr/lib/wine
    unset DISPLAY WAYLAND_DISPLAY
    export LD_LIBRARY_PATH=$toolchain/root/usr/lib/x86_64-linux-gnu
    export WINEARCH=win64 WINEDEBUG=-all WINEDLLPATH=$LD_LIBRARY_PATH/wine
    # No browser engine, no .NET, no entries in the desktop's menus.
    export WINEDLLOVERRIDES="mscoree,mshtml=;winemenubuilder.exe=d"
    # With this, Wine does not update an existing prefix.
    WINEPATH=$(windows_path "$toolchain/windows")
    export WINEPATH
}

# Ends what still runs in a prefix: children of the program, and Wine's services, which would stay for seconds with the program's pipes
# open. It fails if nothing runs, which is what is wanted.
end() { "$wine/wineserver" --kill < /dev/null > /dev/null 2>&1 || true; }

run() {
    local code=0
    use "$1"
    shift
    WINEPREFIX=$(mktemp -d "${TMPDIR:-/tmp}/roundtrip-wine-XXXXXX")
    export WINEPREFIX
    trap 'end; rm -rf "$WINEPREFIX"' EXIT
    layout "$toolchain/prefix" "$WINEPREFIX"
    "$wine/wine64" "$@" || code=$?
    exit "$code"
}

layout() {
    local template=$1 prefix=$2 file
    # Folders alone: there are no files yet, and links lead to the real user's folders.
    (cd "$template" && find drive_c/users -type d -print0) | (cd "$prefix" && xargs -0 mkdir -p)
    mkdir "$prefix/dosdevices"
    for file in system.reg user.reg userdef.reg "$timestamp"; do
        cp "$template/$file" "$prefix/$file"
    done
    ln -s "$template/drive_c/windows" "$prefix/drive_c/windows"
    ln -s ../drive_c "$prefix/dosdevices/c:"
    ln -s / "$prefix/dosdevices/z:"
}

compile() {
    "$toolchain/root/usr/bin/x86_64-w64-mingw32-gcc-posix" -O2 -s -Wall -Werror "$@"
}

complete() {
    local zlib made system
    use "$1"
    # Debian's wrapper looks below the folder that the package would be installed to.
    ln -sf wineserver64 "$wine/wineserver"
    # Wine's own user32 asks for it; Debian's Wine comes without it. It is needed to make a prefix, too.
    zlib=$toolchain/root/usr/x86_64-w64-mingw32/lib/zlib1.dll
    cp "$zlib" "$WINEDLLPATH/x86_64-windows/zlib1.dll"
    mkdir "$toolchain/windows" "$toolchain/prefix"
    compile -municode -o "$toolchain/windows/git.exe" "$here/git.c"
    compile -shared -o "$toolchain/windows/bcryptprimitives.dll" "$here/bcryptprimitives.c" -ladvapi32
    export WINEPREFIX=$toolchain/prefix
    # Its exit code reports the missing 32-bit half, which is not needed: what was made counts.
    "$wine/wine64" wineboot --init < /dev/null > /dev/null 2>&1 || true
    # The registry is written when the last process has ended.
    end
    for made in drive_c/windows/system32/kernel32.dll system.reg "$timestamp"; do
        [ -f "$WINEPREFIX/$made" ] || { echo "Wine made a prefix without $made" >&2; exit 1; }
    done
    # Services of Wine know no other folder to look in.
    system=$WINEPREFIX/drive_c/windows/system32
    cp "$zlib" "$toolchain/windows/bcryptprimitives.dll" "$system"
}

"$@"
