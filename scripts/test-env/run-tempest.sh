#!/usr/bin/env bash
# Runs tests/tempest/run.mjs with what it needs, in a folder of its own that is empty.
here="$(dirname "${BASH_SOURCE[0]}")"
source "$here/lib.sh"
"$here/keystone.sh"
"$here/tempest.sh"
export TENURE_E2E_RUN_DIR="$CACHE/tempest"
rm -rf "$TENURE_E2E_RUN_DIR"
exec node --disable-warning=ExperimentalWarning "$ROOT/tests/tempest/run.mjs"
