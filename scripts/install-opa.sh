#!/usr/bin/env bash
# Puts the pinned OPA into .tools/bin: from PATH when it is the right one, else built by Go, else downloaded and checked.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.22.0
target=.tools/bin/opa
is_right() { [ "$("$1" version 2>/dev/null | sed -n 's/^Version: //p')" = "$version" ]; }
mkdir -p .tools/bin
if [ -x "$target" ] && is_right "$target"; then exit 0; fi
if found=$(command -v opa) && is_right "$found"; then
  ln -sf "$found" "$target"
elif command -v go >/dev/null; then
  GOBIN="$PWD/.tools/bin" go install "github.com/open-policy-agent/opa@v$version"
else
  case "$(uname -m)" in x86_64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;; *) echo "no OPA build for $(uname -m)" >&2; exit 1 ;; esac
  name="opa_$(uname -s | tr '[:upper:]' '[:lower:]')_${arch}_static"
  base="https://github.com/open-policy-agent/opa/releases/download/v$version"
  curl -fsSL --retry 3 -o "$target.new" "$base/$name"
  expected=$(curl -fsSL --retry 3 "$base/$name.sha256" | cut -d' ' -f1)
  echo "$expected  $target.new" | sha256sum -c - >/dev/null || { rm -f "$target.new"; echo "OPA's checksum does not match" >&2; exit 1; }
  chmod +x "$target.new" && mv "$target.new" "$target"
fi
is_right "$target" || { echo "OPA $version could not be installed" >&2; exit 1; }
