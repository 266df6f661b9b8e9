#!/usr/bin/env bash
# A headless Chromium on PATH, for the tests that look at pages.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
command -v chromium >/dev/null || need_debian chromium fonts-dejavu-core
