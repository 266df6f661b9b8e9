#!/usr/bin/env bash
# Builds every overlay and example of k8s/ and holds them against the schemas of Kubernetes and against kube-score.
# What these two cannot see is tests/k8s. Prints what it finds; status 1 when there is something.
source "$(dirname "${BASH_SOURCE[0]}")/../test-env/lib.sh"
"$ROOT/scripts/test-env/k8s-tools.sh"

versions=(1.31 1.32 1.33 1.34 1.35)
# Kinds that controllers bring along; kubernetes-validate has no schemas of them.
brought_along='api version (gateway\.networking\.k8s\.io|monitoring\.coreos\.com)/v1 '

# What kube-score wants and does not get, everywhere:
ignored=(
  # Tags are fixed, and each image is a release's: a node that has it needs no registry to start a pod.
  container-image-pull-policy
  # Topology spread over hosts and zones does this, without refusing to schedule when there are too few.
  deployment-has-host-podantiaffinity statefulset-has-host-podantiaffinity
)
# ... and in development, which has one of each on purpose, and a store with one writer:
ignored_in_dev=(deployment-replicas deployment-strategy)

built="$(mktemp -d)"
trap 'rm -rf "$built"' EXIT
found=0
complain() { printf '%s\n' "$*"; found=1; }

for folder in "$ROOT"/k8s/base "$ROOT"/k8s/overlays/* "$ROOT"/k8s/examples/*; do
  name="$(basename "$folder")"
  "$CACHE/k8s-tools/bin/kustomize" build "$folder" > "$built/$name.yaml" || complain "$name: kustomize cannot build it"
done

for version in "${versions[@]}"; do
  said="$("$CACHE/venv/bin/kubernetes-validate" -k "$version" --strict --quiet "$built"/*.yaml 2>&1)" || complain "Kubernetes $version refuses:"
  rest="$(grep -vE "$brought_along" <<< "$said" || true)"
  [ -z "$rest" ] || complain "Kubernetes $version: $rest"
done

for file in "$built"/*.yaml; do
  # Nothing runs in it, or it is not to be applied as it is.
  if [ "$(basename "$file")" = base.yaml ] || ! grep -q '^kind: Deployment$' "$file"; then continue; fi
  flags=()
  for test in "${ignored[@]}"; do flags+=(--ignore-test "$test"); done
  if [ "$(basename "$file")" = dev.yaml ]; then for test in "${ignored_in_dev[@]}"; do flags+=(--ignore-test "$test"); done; fi
  said="$("$CACHE/k8s-tools/bin/kube-score" score --kubernetes-version v1.31 --exit-one-on-warning -o ci "${flags[@]}" "$file")" ||
    complain "kube-score of $(basename "$file" .yaml): $(grep -E '^\[(CRITICAL|WARNING)\]' <<< "$said")"
done

if [ "$found" = 0 ]; then say "every overlay and example builds, and is as Kubernetes ${versions[0]} to ${versions[-1]} and kube-score want it"; fi
exit "$found"
