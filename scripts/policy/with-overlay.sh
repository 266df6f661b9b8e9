#!/bin/sh
# Copies the policy's sources to FOLDER/policies-rego, with an operator's own rules in place of policies-rego/tenure/custom/custom.rego:
#   with-overlay.sh FILE.rego FOLDER
# Refuses a file that is no such overlay. Run from the repository's root; needs opa and node on PATH.
set -eu
overlay=$1
folder=$2/policies-rego
package=$(opa parse -f json "$overlay" | node -e '
  const { package: { path } } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  process.stdout.write(path.slice(1).map(({ value }) => value).join("."));')
if [ "$package" != tenure.custom ]; then
  echo "policy: $overlay is package $package; an overlay is package tenure.custom" >&2
  exit 1
fi
mkdir -p "$folder"
cp -R policies-rego/tenure "$folder/"
find "$folder/tenure" -name '*_test.rego' -delete
cp "$overlay" "$folder/tenure/custom/custom.rego"
opa check --strict --schema policies-rego/schemas --capabilities policies-rego/capabilities.json -b "$folder" >&2
unknown=$(opa eval -b "$folder" -f raw --fail 'concat(" ", [action |
  data.tenure.custom.overridden[action]
  not data.tenure.actions[action]
])')
if [ -n "$unknown" ]; then
  echo "policy: $overlay overrides what is not in the action table: $unknown" >&2
  exit 1
fi
