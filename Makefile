# Needs git, make, Node >= 18 with npm, Python 3; everything else is fetched into this folder.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/.tools/node_modules/.bin:$(CURDIR)/.tools/bin:$(PATH)

JEST := node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js

.PHONY: help setup build policy up dev test test-one nightly test-vm tempest k8s-check k8s-cluster check bench lab image format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .tools/.node .tools/.opa node_modules/.installed ## fetch the pinned Node, OPA and npm packages

.tools/.node: scripts/install-node.sh
	@scripts/install-node.sh && touch $@

.tools/.opa: scripts/install-opa.sh
	@scripts/install-opa.sh && touch $@

node_modules/.installed: package-lock.json .tools/.node
	@# not "npm ci": where a registry lacks the builds for other platforms, ci calls the lock file incomplete; install honours it
	npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

build: setup ## compile everything, policy included
	npx tsc --build
	@scripts/policy/build.sh --if-changed

policy: setup ## rebuild the policy bundle, the golden table and docs/policy/matrix.md
	@npx tsc --build cli
	@scripts/policy/build.sh

up: build ## run every part on loopback until Ctrl-C
	@exec node cli/bin/tenure.js up

dev: build ## make up, which rebuilds what changes and restarts the parts that it concerns
	@exec node scripts/dev/dev.mjs

check: setup ## format, types, lint, boundaries, policy and unit tests; what its last pass covers is left out (ALL=1: nothing is)
	@node scripts/run-tests.mjs check

test: setup ## everything that CI runs, real clients and emulators included
	@node scripts/run-tests.mjs all

test-one: setup ## the tests of one part beside its code: PART=gateway|inventory|http|… TEST='part of its name'
	@scripts/test-one.sh "$(PART)" "$(TEST)"

nightly: build ## what takes too long for make test: the fault lab for an hour on each store, every case of sampled suites, test-vm and tempest
	@node scripts/run-tests.mjs nightly

test-vm: build ## boot an emulated machine over virtual media and watch its console
	@scripts/test-env/with-libvirt.sh $(JEST) -c tests/jest.vm.config.js

tempest: build ## run Ironic's own API tests, from tempest, with a real Keystone
	@UPDATE="$(UPDATE)" TESTS="$(TESTS)" scripts/test-env/run-tempest.sh

k8s-check: setup ## build the Kubernetes manifests and hold them against schemas, kube-score and rules of our own
	@scripts/k8s/check.sh
	@$(JEST) -c tests/jest.k8s.config.js

bench: build ## measure, side by side, and print the ratios
	@scripts/test-env/bench.sh

lab: build ## disturb a whole Tenure at random, and check what happened: SEED=… MINUTES=… STORE=mongodb|sqlite SHRINK=1
	@scripts/test-env/lab.sh $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(STORE),--store $(STORE)) $(if $(SHRINK),--shrink)

k8s-cluster: build ## make a real cluster of one node on this machine, run Tenure on it, and check what must hold there
	@scripts/k8s/cluster/cluster.sh

image: build ## build the image and the bill of materials of each part; scripts/images/build.sh --help says what can be set
	@scripts/images/build.sh

format: setup ## rewrite the sources in the project's format
	@npx oxfmt . && opa fmt -w policies-rego

clean: ## remove what was built; keeps .data and .tools
	rm -rf gateway/dist cli/dist services/*/dist shared/*/dist coverage policies-rego/bundle.tar.gz .cache/check-passed.json
