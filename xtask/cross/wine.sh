#!/usr/bin/env bash
# Runs Wine from the TOOLCHAIN, a folder that `cargo xtask cross` downloads:
#
#   wine.sh run TOOLCHAIN PROGRAM [ARGUMENT...]   runs a Windows program, as cargo's runner
#   wine.sh complete TOOLCHAIN                    adds what Debian's Wine lacks, and a first prefix
#   wine.sh layout TEMPLATE PREFIX                creates a prefix from a template
#
# Each program gets its own prefix, so that programs do not affect each other and can start at the same time. A prefix has its own
# registry and user folders, and shares the system folder of the template.
set -euo pipefail

here=$(dirname "$0")
# With this file, Wine does not update an existing prefix.
timestamp=.update-timestamp

# Converts a path for Windows programs: `Z:` is the root.
windows_path() { echo "Z:${1//\//\\}"; }

use() {
    toolchain=$1
    wine=$toolchain/root/usr/lib/wine
    unset DISPLAY WAYLAND_DISPLAY
    export LD_LIBRARY_PATH=$toolchain/root/usr/lib/x86_64-linux-gnu
    export WINEARCH=win64 WINEDEBUG=-all WINEDLLPATH=$LD_LIBRARY_PATH/wine
    # No browser engine, no .NET, no menu entries.
    export WINEDLLOVERRIDES="mscoree,mshtml=;winemenubuilder.exe=d"
    WINEPATH=$(windows_path "$toolchain/windows")
    export WINEPATH
}

# Stops everything that still runs in the prefix: children of the program, and Wine's services, which would keep the program's pipes
# open for seconds. Succeeds if nothing runs.
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
    # Only folders: there are no files yet, and links point to the real user's folders.
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
    local zlib file system
    use "$1"
    # Debian's wrapper expects an installed package.
    ln -sf wineserver64 "$wine/wineserver"
    # Wine's user32 needs zlib1.dll, also to create a prefix. Debian's Wine lacks it.
    zlib=$toolchain/root/usr/x86_64-w64-mingw32/lib/zlib1.dll
    cp "$zlib" "$WINEDLLPATH/x86_64-windows/zlib1.dll"
    mkdir "$toolchain/windows" "$toolchain/prefix"
    compile -municode -o "$toolchain/windows/git.exe" "$here/git.c"
    compile -shared -o "$toolchain/windows/bcryptprimitives.dll" "$here/bcryptprimitives.c" -ladvapi32
    export WINEPREFIX=$toolchain/prefix
    # Ignore the exit code, which reports the missing 32-bit half. Check the created files instead.
    "$wine/wine64" wineboot --init < /dev/null > /dev/null 2>&1 || true
    # Wine writes the registry when the last process exits.
    end
    for file in drive_c/windows/system32/kernel32.dll system.reg "$timestamp"; do
        [ -f "$WINEPREFIX/$file" ] || { echo "Wine created a prefix without $file" >&2; exit 1; }
    done
    # Wine's services search only this folder.
    system=$WINEPREFIX/drive_c/windows/system32
    cp "$zlib" "$toolchain/windows/bcryptprimitives.dll" "$system"
}

"$@"
