#!/usr/bin/env bash
# Fetches the pinned Node and npm into .tools/ by the npm that is there: the parts need Node 24, machines often have older.
set -euo pipefail
cd "$(dirname "$0")/.."
node_version=24.21.0
npm_version=11.19.1
if [ "$(.tools/node_modules/.bin/node --version 2>/dev/null)" = "v$node_version" ] && [ -x .tools/node_modules/.bin/npm ]; then
  exit 0
fi
command -v npm >/dev/null || { echo "npm is needed (any Node >= 18 brings it)" >&2; exit 1; }
mkdir -p .tools
echo '{"private": true}' >.tools/package.json
npm install --prefix .tools --no-audit --no-fund --loglevel=error "node@$node_version" "npm@$npm_version"
.tools/node_modules/.bin/node --version
