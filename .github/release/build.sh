#!/bin/sh
# Builds a release for one target and packs it into `packed`. Run it in the root of the checkout with these variables:
#
#   TARGET     the target in the archives' names
#   BUILDS     cargo's targets; the binaries of several targets are joined into one (macOS)
#   PACKAGES   cargo's options to select packages: --package a --package b
#   PROGRAMS   the binaries of these packages; `licences` has a folder for each
set -eu

folder="${CARGO_TARGET_DIR:-target}"
for build in $BUILDS; do
    # shellcheck disable=SC2086 # several words
    cargo build --release --locked --target "$build" $PACKAGES
done
mkdir -p "$folder/joined"
for program in $PROGRAMS; do
    built=""
    for build in $BUILDS; do built="$built $folder/$build/release/$program"; done
    if [ "$BUILDS" = "$TARGET" ]; then
        cp "$folder/$TARGET/release/$program" "$folder/joined/$program"
    else
        # shellcheck disable=SC2086 # several words
        lipo -create -output "$folder/joined/$program" $built
    fi
    .github/release/pack.sh "$TARGET" packed "$folder/joined/$program" "licences/${program%.exe}"
done
