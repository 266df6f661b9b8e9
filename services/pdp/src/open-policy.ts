import { readFileSync } from 'node:fs';
import { lockInstance } from '@tenure/decision-log';
import { type PolicyMaterial, switchesOf } from '@tenure/policy';
import { type BundleTrust } from '@tenure/policy/runtime';
import { sourcesOf } from '@tenure/policy/runtime';
import { type ConfigOf, type Logger, openOnDisk } from '@tenure/process';
import { bundleOpener, pinsOf } from './adapters/bundle-opener.js';
import { wasmEngines } from './adapters/policy-engine-wasm.js';
import { createFilePolicySource } from './adapters/policy-source-files.js';
import { createUrlPolicySource } from './adapters/policy-source-url.js';
import { createFilePolicyStore } from './adapters/policy-store-files.js';
import { createMemoryPolicyStore } from './adapters/policy-store-memory.js';
import {
  type ActivatorOptions,
  createPolicyActivator,
  type PolicyActivator,
} from './application/activation/activator.js';
import { createPolicyLoader, type PolicyLoader } from './application/activation/loader.js';
import { createPolicyShadow, type PolicyShadow } from './application/activation/shadow.js';
import { type Active } from './application/activation/state.js';
import { type PdpMetrics } from './application/metrics.js';
import { type pdpVariables } from './config.js';
import { type Invariant } from './domain/self-test.js';
import { type PolicySource } from './ports/policy-source.js';
import { type PolicyStore } from './ports/policy-store.js';

type Config = ConfigOf<typeof pdpVariables>;

interface OpenStore {
  readonly store: PolicyStore;
  readonly release: () => void;
}

interface Tools extends Pick<ActivatorOptions, 'desired' | 'fromPeers'> {
  readonly logger: Logger;
  readonly metrics: PdpMetrics;
  readonly invariants: readonly Invariant[];
}

export interface OpenPolicy {
  readonly activator: PolicyActivator;
  readonly shadow: PolicyShadow | undefined;
  /** Releases the directory of its history. */
  readonly release: () => void;
}

/** The parts of the policy in service, for evaluation and reading elsewhere. */
export const materialIn = ({ verified }: Active): PolicyMaterial => ({
  wasm: verified.opened.wasm,
  data: verified.opened.data,
  overlays: verified.parts.overlays,
  sources: sourcesOf(verified.parts.bundle),
});

/**
 * Activates the configured policy, and starts the shadow if one is configured.
 * @throws PolicyRefused or PolicyFailure when the policy cannot be activated
 */
export async function openPolicy(config: Config, tools: Tools): Promise<OpenPolicy> {
  const { logger, metrics, invariants, ...ofOthers } = tools;
  const { store, release } = await storeOf(config);
  const loader = loaderOf(config, invariants);
  const activator = await createPolicyActivator({
    source: sourceOf(config),
    loader,
    store,
    ...ofOthers,
    deadlineMs: config.deadlineMs,
    keep: config.bundleHistory,
    logger,
    metrics,
    now: () => new Date(),
  });
  metrics.watchBundle(() => activator.trouble() !== undefined);
  return { activator, shadow: startShadow(config, loader, tools), release };
}

/** The store of bundles for rollbacks, locked so that two instances of one name do not overwrite each other's history. */
async function storeOf({ bundleDir, instance }: Config): Promise<OpenStore> {
  if (bundleDir === undefined)
    return { store: createMemoryPolicyStore(), release: () => undefined };
  const { dir, release } = await openOnDisk(`the history of policies in ${bundleDir}`, () =>
    lockInstance(bundleDir, instance),
  );
  return { store: createFilePolicyStore(dir), release };
}

/**
 * @param invariants what every policy must answer
 * @throws Error when the keys cannot be used
 */
function loaderOf(config: Config, invariants: readonly Invariant[]): PolicyLoader {
  const { bundleKeys, bundleRequireCertificate: requireCertificate } = config;
  const trust = (): BundleTrust => ({ keys: pinsOf(bundleKeys), requireCertificate });
  // Unusable keys fail the start.
  if (trust().keys.length === 0 && requireCertificate)
    throw new Error('PDP_BUNDLE_KEYS must be set, because PDP_BUNDLE_REQUIRE_CERTIFICATE is');
  return createPolicyLoader({
    open: bundleOpener(trust),
    compile: wasmEngines(config.memoryPages),
    switches: switchesOf(config),
    invariants,
    now: () => performance.now(),
  });
}

/** @throws Error when none is configured */
function sourceOf(config: Config): PolicySource {
  const location = config.bundleUrl ?? config.bundle;
  if (location === undefined) throw new Error('PDP_BUNDLE or PDP_BUNDLE_URL must be set');
  return sourceAt(config, location);
}

function startShadow(
  config: Config,
  loader: PolicyLoader,
  { logger, metrics }: Tools,
): PolicyShadow | undefined {
  if (config.shadowBundle === undefined) return undefined;
  const shadow = createPolicyShadow({
    source: sourceAt(config, config.shadowBundle),
    loader,
    share: config.shadowShare,
    logger,
    metrics,
    now: () => new Date(),
    random: Math.random,
  });
  void shadow.reload();
  return shadow;
}

/** The policy at a location: a file, a directory or a URL. */
function sourceAt(config: Config, location: string): PolicySource {
  const { overlays, bundleTokenFile, bundleDeadlineMs, bundleMaxBytes } = config;
  if (!/^https?:/u.test(location)) return createFilePolicySource({ bundle: location, overlays });
  return createUrlPolicySource({
    url: location,
    overlays,
    token: () =>
      bundleTokenFile === undefined ? undefined : readFileSync(bundleTokenFile, 'utf8').trim(),
    deadlineMs: bundleDeadlineMs,
    maxBytes: bundleMaxBytes,
  });
}
