#!/usr/bin/env bash
# Builds the images of the parts, one target of the Containerfile each, and writes their bills of materials to dist/sbom/.
set -euo pipefail
cd "$(dirname "$0")/../.."

usage() {
  cat <<'END'
Usage: make image [VARIABLE=value…]   or   scripts/images/build.sh [--sbom-only]

  ENGINE         docker, buildah or podman; the first of them that is there when not set
  PARTS          what to build; default: gateway pdp inventory conductor allocation compute cli
  TAG            tag of the images; default: the version in package.json
  PREFIX         what the images' names begin with; default: tenure-
  BUILD_IMAGE, RUNTIME_IMAGE
                 base images in place of those that the Containerfile names by digest
  BUILD_FLAGS    further flags for the engine's build
  SOURCE_DATE_EPOCH
                 timestamp of all files; default: that of the last commit

  --sbom-only    only dist/sbom/<part>.cdx.json (CycloneDX); needs no engine

The built tree with its policy bundle must be there: `make image` sees to it.
END
}

sbom_only=
case "${1:-}" in
  --help | -h) usage; exit 0 ;;
  --sbom-only) sbom_only=1 ;;
  '') ;;
  *) usage >&2; exit 2 ;;
esac

parts=${PARTS:-gateway pdp inventory conductor allocation compute cli}
version=$(node -p 'JSON.parse(require("node:fs").readFileSync("package.json", "utf8")).version')
tag=${TAG:-$version}
prefix=${PREFIX:-tenure-}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)

for part in $parts; do
  node scripts/images/sbom.mjs "dist/sbom/$part.cdx.json" "$part"
  echo "dist/sbom/$part.cdx.json"
done
[ -z "$sbom_only" ] || exit 0

engine=${ENGINE:-}
for each in docker buildah podman; do
  # A docker client without an engine behind it builds nothing.
  [ -z "$engine" ] && command -v "$each" >/dev/null && "$each" info >/dev/null 2>&1 && engine=$each
done
[ -n "$engine" ] || { echo 'image: no docker, buildah or podman that works here' >&2; exit 1; }

# Labels by flag: a layer that contains the revision could not be reused for the next one.
flags=(-f Containerfile --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"
  --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=$revision")
for base in BUILD_IMAGE RUNTIME_IMAGE; do
  [ -z "${!base:-}" ] || flags+=(--build-arg "$base=${!base}")
done
case "$engine" in
  docker) flags+=(--provenance=false) ;;
  # With layers the stage that all targets share is built once.
  buildah | podman) flags+=(--layers --timestamp "$SOURCE_DATE_EPOCH") ;;
  *) echo "image: ENGINE must be docker, buildah or podman, not $engine" >&2; exit 2 ;;
esac
# shellcheck disable=SC2206 # several flags in one variable are meant
flags+=(${BUILD_FLAGS:-})

for part in $parts; do
  "$engine" build "${flags[@]}" --target "tenure-$part" -t "$prefix$part:$tag" .
  echo "$prefix$part:$tag"
done
