#!/usr/bin/env bash
# test-one.sh PART [NAME]: runs the tests that lie beside the code of a part, those that take seconds too.
#   PART   gateway, cli, policies-rego, a folder of services/ or shared/ (inventory, http), or a path below one of them
#   NAME   only tests whose names match
set -euo pipefail
cd "$(dirname "$0")/.."
parts() { printf '%s\n' gateway cli policies-rego; find services shared -mindepth 1 -maxdepth 1 -type d -printf '%f\n'; }
part="${1%/}"
case "$part" in
  '')
    echo "test-one: PART is missing: $(parts | sort | paste -sd' ')" >&2
    exit 2
    ;;
  policies-rego)
    exec opa test -b policies-rego --timeout 300s ${2:+--run "$2"}
    ;;
esac
folder=''
for candidate in "$part" "services/$part" "shared/$part"; do
  if [ -d "$candidate/src" ] || [[ "$candidate" == */src/* && -e "$candidate" ]]; then folder="$candidate" && break; fi
done
if [ -z "$folder" ]; then
  echo "test-one: there is no part $part, only: $(parts | sort | paste -sd' ')" >&2
  exit 2
fi
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
  -c tests/jest.part.config.js ${2:+-t "$2"} "^$PWD/$folder/"
