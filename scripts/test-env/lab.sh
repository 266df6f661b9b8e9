#!/usr/bin/env bash
# One run of the fault lab; lab.sh --help says what can be set.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
"$ROOT/scripts/test-env/install.sh"
exec node --disable-warning=ExperimentalWarning "$ROOT/tests/lab/main.mjs" "$@"
