#!/usr/bin/env bash
# Every benchmark, side by side in one run. Prints whether each goal is met; fails only when something breaks.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$ROOT/scripts/test-env/install.sh"
trap 'rm -rf "$CACHE"/e2e/bench-*' EXIT
node "$ROOT/tests/bench/all.mjs"
