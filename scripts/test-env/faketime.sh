#!/usr/bin/env bash
# libfaketime, with which the fault lab steps clocks; without it the lab leaves those faults out and says so.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
compgen -G '/usr/lib/*/faketime/libfaketime.so.1' >/dev/null && exit 0
(need_debian faketime) || say "the fault lab will not step clocks"
