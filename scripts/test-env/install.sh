#!/usr/bin/env bash
# Everything that the contract and end-to-end suites need. Quick when it is already there.
here="$(dirname "${BASH_SOURCE[0]}")"
source "$here/lib.sh"
"$here/venv.sh"
"$here/ipa.sh"
"$here/mongo-server.sh"
"$here/certs.sh"
"$here/keystone.sh"
"$here/redis.sh"
"$here/nginx.sh"
"$here/chromium.sh"
"$here/gophercloud.sh"
"$here/k8s-tools.sh"
