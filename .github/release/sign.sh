#!/bin/sh
# Signs SHA256SUMS and manifest.json of a release with the secrets in the variables KEY and PASSWORD. The signatures state the version,
# and expire after 90 days, so that a mirror cannot hide newer releases for longer. Run it in the root of the checkout.
#
#   .github/release/sign.sh FOLDER VERSION            sign a new release
#   .github/release/sign.sh FOLDER VERSION --renew    replace signatures of the same version
set -eu

folder="$1" version="$2" mode="${3:-}"
# It must be the key that the installer trusts.
key="$(sed -n 's/^release_key="\(.*\)"$/\1/p' install.sh)"

check() {
    for file in SHA256SUMS manifest.json; do
        case "$(minisign -VQm "$folder/$file" -P "$key")" in
            "roundtrip $version expires "*) ;;
            *)
                echo "error: $file is not signed for $version by the key in install.sh" >&2
                exit 1
                ;;
        esac
    done
}

if [ "$mode" = --renew ]; then check; fi
secret="$(mktemp)"
trap 'rm -f "$secret"' EXIT
printf '%s\n' "$KEY" > "$secret"
statement="roundtrip $version expires $(date -u -d '90 days' +%Y-%m-%d)"
printf '%s\n' "$PASSWORD" |
    minisign -S -H -t "$statement" -s "$secret" -m "$folder/SHA256SUMS" "$folder/manifest.json"
check
