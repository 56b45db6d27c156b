#!/bin/sh
# Builds the programs of a release for one target and packs them into `packed`. Runs in the root of the checkout. These variables
# say what it builds:
#
#   TARGET     the target in the archives' names
#   BUILDS     the targets that cargo builds for; programs for several targets are joined (macOS)
#   PACKAGES   the options of cargo that select packages: --package a --package b
#   PROGRAMS   the programs of these packages; `licences` has a folder with the licences for each
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
