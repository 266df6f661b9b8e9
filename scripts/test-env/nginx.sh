#!/usr/bin/env bash
# An nginx on PATH, for the tests that put one in front of several gateways.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || need_debian nginx
