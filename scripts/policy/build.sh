#!/bin/sh
# Builds policies-rego/bundle.tar.gz, and writes the golden table and docs/policy/matrix.md. Needs opa and node on PATH.
#   --if-changed        does nothing while the bundle is newer than everything it is made of
#   --tests             runs the policy's tests first and notes in policies-rego/golden/tests.json what they said; a bundle of
#                       other sources than those says nothing of tests
#   OVERLAY=FILE.rego   with an operator's own rules (package tenure.custom; see policies-rego/README.md); the golden table
#                       and the matrix then stay as they are
#   OUT=FILE.tar.gz     writes the bundle there
set -eu
absolute() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
overlay=${OVERLAY:+$(absolute "$OVERLAY")}
out=${OUT:+$(absolute "$OUT")}
cd "$(dirname "$0")/../.."
root=$PWD
bundle=${out:-$root/policies-rego/bundle.tar.gz}
golden=policies-rego/golden/persona_matrix.golden.txt
matrix=docs/policy/matrix.md
golden_decisions=policies-rego/golden/decisions.json
tests=policies-rego/golden/tests.json
custom=policies-rego/tenure/custom/custom.rego

# A bundle with an overlay is never taken for the plain one. The bundle keeps the rules without comments.
rules_of() { grep -v -e '^#' -e '^$'; }
is_plain() { [ "$(tar -xzOf "$1" "/$custom" 2> /dev/null | rules_of)" = "$(rules_of < "$custom")" ]; }
if [ "${1:-}" = --if-changed ] && [ -z "$overlay" ] && [ -f "$bundle" ] && [ -f "$golden" ] && [ -f "$matrix" ] &&
  is_plain "$bundle" &&
  [ -z "$(find policies-rego scripts/policy -newer "$bundle" ! -path "$golden" ! -type d)" ]; then
  exit 0
fi

# From the root of the sources, with relative paths and never with -O: the bytes are then the same on every machine.
build() {
  (cd "$1" && opa build -b policies-rego --ignore '*_test.rego' --capabilities "$root/policies-rego/capabilities.json" \
    -t wasm -o "$bundle.new")
}
[ -f cli/dist/main.js ] || npx tsc --build cli
version=$(opa version | sed -n 's/^Version: //p')
if [ "${1:-}" = --tests ]; then
  said=$(mktemp -d)
  if ! opa test -b policies-rego --timeout 300s --format json > "$said/results"; then
    echo 'policy: its tests fail: opa test -b policies-rego --timeout 300s' >&2
    exit 1
  fi
  opa test -b policies-rego --timeout 300s --coverage --format json > "$said/coverage"
  node scripts/policy/test-facts.mjs "$said/results" "$said/coverage" > "$tests"
  rm -rf "$said"
fi
if [ -n "$overlay" ]; then
  sources=$(mktemp -d)
  trap 'rm -rf "$sources"' EXIT
  scripts/policy/with-overlay.sh "$overlay" "$sources"
  build "$sources"
  # The tests and the golden decisions are of the rules without it.
  node scripts/policy/finish.mjs "$bundle.new" "$version"
else
  build .
  if ! node scripts/policy/finish.mjs "$bundle.new" "$version" "$golden_decisions" "$tests" ||
    ! node scripts/policy/golden.mjs "$bundle.new" > "$golden.new" ||
    ! node cli/bin/tenure.js policy matrix --bundle "$bundle.new" --format markdown > "$matrix.new"; then
    rm -f "$bundle.new" "$golden.new" "$matrix.new"
    exit 1
  fi
  for page in "$golden" "$matrix"; do
    cmp -s "$page.new" "$page" && rm "$page.new" || mv "$page.new" "$page"
  done
fi
mv "$bundle.new" "$bundle"
echo "policy: ${bundle#"$root"/}, $(wc -c < "$bundle" | tr -d ' ') bytes"
