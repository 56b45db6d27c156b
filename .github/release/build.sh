#!/bin/sh
# Builds the programs of a release for one target and packs them into `packed`. Of release.yml, and runs anywhere.
#
#   TARGET     what the archives are called after
#   BUILDS     what cargo builds for; of several the programs are joined (macOS)
#   PACKAGES   what is built, as cargo is told: --package a --package b
#   PROGRAMS   what comes of it
set -eu

folder="${CARGO_TARGET_DIR:-target}"
for build in $BUILDS; do
    # shellcheck disable=SC2086 # several words
    cargo build --release --locked --target "$build" $PACKAGES
done
mkdir -p "$folder/joined"
packed=""
for program in $PROGRAMS; do
    built=""
    for build in $BUILDS; do built="$built $folder/$build/release/$program"; done
    if [ "$BUILDS" = "$TARGET" ]; then
        cp "$folder/$TARGET/release/$program" "$folder/joined/$program"
    else
        # shellcheck disable=SC2086 # several words
        lipo -create -output "$folder/joined/$program" $built
    fi
    packed="$packed $folder/joined/$program"
done
# Optimised: it compresses for minutes otherwise.
# shellcheck disable=SC2086 # several words
cargo run --release --quiet --package xtask -- release pack --target "$TARGET" --output packed $packed
