#!/bin/sh
# Builds policies-rego/bundle.tar.gz and writes the golden table. Needs opa and node on PATH.
#   --if-changed   does nothing while the bundle is newer than everything it is made of
set -eu
cd "$(dirname "$0")/../.."
bundle=policies-rego/bundle.tar.gz
golden=policies-rego/golden/persona_matrix.golden.txt
if [ "${1:-}" = --if-changed ] && [ -f "$bundle" ] && [ -f "$golden" ] &&
  [ -z "$(find policies-rego scripts/policy -newer "$bundle" ! -path "$golden" ! -type d)" ]; then
  exit 0
fi
# From the root, with relative paths and never with -O: the bytes are then the same on every machine.
opa build -b policies-rego --ignore '*_test.rego' --capabilities policies-rego/capabilities.json -t wasm -o "$bundle.new"
node scripts/policy/golden.mjs "$bundle.new" > "$golden.new" || { rm -f "$bundle.new" "$golden.new"; exit 1; }
cmp -s "$golden.new" "$golden" && rm "$golden.new" || mv "$golden.new" "$golden"
mv "$bundle.new" "$bundle"
echo "policy: $bundle, $(wc -c < "$bundle" | tr -d ' ') bytes"
