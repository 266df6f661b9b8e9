#!/usr/bin/env bash
# A redis-server on PATH, for the tests that start their own.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v redis-server >/dev/null || need_debian redis-server
