#!/bin/bash
# Everything that must hold of the policy. Run from anywhere; needs opa and node on PATH. Writes nothing into the tree.
set -euo pipefail
cd "$(dirname "$0")/../.."
rego=policies-rego
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
say() { printf '%-9s %s\n' "$1:" "$2"; }
fail() { say "$1" "FAILED: $2" >&2; failed=1; }
refused() { # NAME MESSAGE REGO [opa check option...]: the snippet must not pass, and for this reason
  printf '%s\n' "$3" > "$work/snippet.rego"
  if opa check --strict "${@:4}" "$work/snippet.rego" > "$work/out" 2>&1 || ! grep -q "$2" "$work/out"; then
    fail "$1" "$(head -c 300 "$work/out")"
  fi
}

opa fmt --fail --list "$rego" > "$work/fmt" 2>&1 || fail fmt "$(tr '\n' ' ' < "$work/fmt")"

opa check --strict -b "$rego" || fail check 'strict'
opa check --strict --ignore '*_test.rego' --schema "$rego/schemas" --capabilities "$rego/capabilities.json" \
  -b "$rego" || fail check 'with schema and capabilities'
for builtin in 'sprintf("%d", [1])' 'time.now_ns()' 'regex.replace("a", "a", "b")' 'json.patch({}, [])' \
  'object.subset({}, {})' 'http.send({})' 'io.jwt.decode("")' 'regex.split("a", "b")'; do
  refused capability 'undefined function' "package snippet
answer := $builtin" --capabilities "$rego/capabilities.json"
done
refused schema 'undefined ref' '# METADATA
# schemas:
#   - input: schema.question
package snippet
answer := input.resource.ownr' --schema "$rego/schemas"
say check 'strict, schema and capabilities hold; foreign builtins and misspelt input are refused'

if opa test -b "$rego" --timeout 60s --coverage --threshold 100 > "$work/coverage" 2>&1; then
  say test "$(opa test -b "$rego" --timeout 60s | tail -n 1), coverage 100"
else
  fail test "$(tail -c 2000 "$work/coverage")"
  opa test -b "$rego" --timeout 60s | tail -n 40 >&2 || true
fi

for copy in 1 2; do
  opa build -b "$rego" --ignore '*_test.rego' --capabilities "$rego/capabilities.json" -t wasm -o "$work/$copy.tar.gz"
done
opa build -b "$rego" --ignore '*_test.rego' -o "$work/plain.tar.gz" || fail build 'without a target'
cmp "$work/1.tar.gz" "$work/2.tar.gz" && say build "reproducible, sha256 $(sha256sum "$work/1.tar.gz" | cut -c1-16)" ||
  fail build 'two builds differ'

opa inspect -a -f json "$rego" | node scripts/policy/annotations.mjs "$work/1.tar.gz" || failed=1

node scripts/policy/golden.mjs "$work/1.tar.gz" > "$work/golden"
if cmp -s "$work/golden" "$rego/golden/persona_matrix.golden.txt"; then
  say golden "up to date, $(grep -c '^baremetal:' "$work/golden") rows"
else
  fail golden 'run make policy and review what changed:'
  diff "$rego/golden/persona_matrix.golden.txt" "$work/golden" | head -n 40 >&2 || true
fi

node scripts/policy/differential.mjs "$work/1.tar.gz" || failed=1

[ "$failed" = 0 ] && say policy 'all checks passed' || { say policy 'FAILED' >&2; exit 1; }
