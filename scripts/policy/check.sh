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

# No further runs to say why a line is not covered: none is.
if opa test -b "$rego" --timeout 300s --coverage --coverage-runs= --threshold 100 > "$work/coverage" 2>&1; then
  say test "$(find "$rego" -name '*_test.rego' -exec cat {} + | grep -c '^test_') rules of tests pass, coverage 100"
else
  fail test "$(tail -c 2000 "$work/coverage")"
  opa test -b "$rego" --timeout 300s | tail -n 40 >&2 || true
fi

if node -e 'import("./scripts/policy/tested-sources.mjs").then(({ testedSources }) =>
  process.exit(testedSources() === JSON.parse(require("node:fs").readFileSync(process.argv[1])).sources ? 0 : 1))' \
  "$rego/golden/tests.json"; then
  say facts 'golden/tests.json is about these sources'
else
  fail facts 'golden/tests.json is about other sources; run scripts/policy/build.sh --tests'
fi

for copy in 1 2; do
  opa build -b "$rego" --ignore '*_test.rego' --capabilities "$rego/capabilities.json" -t wasm -o "$work/$copy.tar.gz"
done
[ -f cli/dist/main.js ] || npx tsc --build cli
for copy in 1 2; do
  cp "$work/$copy.tar.gz" "$work/finished.$copy.tar.gz"
  node scripts/policy/finish.mjs "$work/finished.$copy.tar.gz" 1.22.0 "$rego/golden/decisions.json" "$rego/golden/tests.json" ||
    fail finish 'the golden decisions or the manifest'
done
cmp "$work/finished.1.tar.gz" "$work/finished.2.tar.gz" || fail finish 'two bundles differ'
opa build -b "$rego" --ignore '*_test.rego' -o "$work/plain.tar.gz" || fail build 'without a target'
cmp "$work/1.tar.gz" "$work/2.tar.gz" && say build "reproducible, sha256 $(sha256sum "$work/1.tar.gz" | cut -c1-16)" ||
  fail build 'two builds differ'

opa inspect -a -f json "$rego" | node scripts/policy/annotations.mjs "$work/1.tar.gz" || failed=1

node scripts/policy/golden.mjs "$work/1.tar.gz" > "$work/golden"
if cmp -s "$work/golden" "$rego/golden/persona_matrix.golden.txt"; then
  say golden "up to date, $(grep -cE '^(baremetal|introspection):' "$work/golden") rows"
else
  fail golden 'run make policy and review what changed:'
  diff "$rego/golden/persona_matrix.golden.txt" "$work/golden" | head -n 40 >&2 || true
fi

[ -f cli/dist/main.js ] || npx tsc --build cli
node cli/bin/tenure.js policy matrix --bundle "$work/1.tar.gz" --format markdown > "$work/matrix"
if cmp -s "$work/matrix" docs/policy/matrix.md; then
  say matrix 'docs/policy/matrix.md is up to date'
else
  fail matrix 'run make policy and review what changed:'
  diff "$work/matrix" docs/policy/matrix.md | head -n 40 >&2 || true
fi

# Under the policy's own switches only; `make test` tries every combination.
if node cli/bin/tenure.js policy verify --bundle "$work/1.tar.gz" --own-switches > "$work/verify" 2> /dev/null; then
  say verify "$(tail -n 1 "$work/verify")"
else
  fail verify "$(head -c 4000 "$work/verify")"
fi

node scripts/policy/differential.mjs "$work/1.tar.gz" || failed=1

# The same with an operator's own rules in place of some rows.
overlay=scripts/policy/example-overlay.rego
sources=$(mktemp -d "$work/overlay.XXXXXX")
scripts/policy/with-overlay.sh "$overlay" "$sources" &&
  OVERLAY=$overlay OUT=$work/overlay.tar.gz scripts/policy/build.sh > "$work/out" &&
  node scripts/policy/differential.mjs "$work/overlay.tar.gz" 2000 20261121 "$sources/$rego" || failed=1
no_overlay() { # MESSAGE REGO: this text must not become an overlay, and for this reason
  printf '%s\n' "$2" > "$work/no.rego"
  mkdir -p "$work/no"
  if scripts/policy/with-overlay.sh "$work/no.rego" "$work/no" > "$work/out" 2>&1 || ! grep -q "$1" "$work/out"; then
    fail overlay "$(head -c 300 "$work/out")"
  fi
}
no_overlay 'package tenure.custom' 'package tenure.authz
allow := true'
no_overlay 'not in the action table: x:y' 'package tenure.custom
overridden := {"x:y"}
granted("x:y", _) := true'
no_overlay 'undefined function' 'package tenure.custom
overridden := {"baremetal:node:get"}
granted("baremetal:node:get", view) if sprintf("%s", [view.user_id]) == "u"'
no_overlay 'recursive' 'package tenure.custom
import data.tenure.grants
overridden := {"baremetal:node:get"}
granted("baremetal:node:get", _) if grants.granted("baremetal:node:list", grants.here)'
no_overlay 'granted' 'package tenure.custom
overridden := {"baremetal:node:get"}'
say overlay "$overlay holds; what is no overlay is refused"

[ "$failed" = 0 ] && say policy 'all checks passed' || { say policy 'FAILED' >&2; exit 1; }
