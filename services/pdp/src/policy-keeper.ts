import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  creatorsOperations,
  isJsonObject,
  type JsonObject,
  memberOf,
  policyDataOf,
  type PolicyMaterial,
  type PolicyTables,
  revisionOf,
  type SwitchValues,
  tablesOf,
  wordsOf,
} from '@tenure/policy';
import { type Logger } from '@tenure/process';
import { type Invariant, runSelfTest, warmUpQuestions } from './domain/self-test.js';
import { type PdpMetrics } from './metrics.js';
import { type PolicyEngine } from './ports/policy-engine.js';
import { type PolicySource } from './ports/policy-source.js';
import { type TimeLimit } from './ports/time-limit.js';

/** A policy in service: verified, self-tested, warm. */
export interface ActivePolicy {
  readonly engine: PolicyEngine;
  readonly revision: string;
  /** The action table that the engine has, with overlays. */
  readonly actions: PolicyTables['actions'];
  /** What a question can be about. */
  readonly resources: JsonObject;
}

/** With what it was made of, for those who want to look into it. */
interface KeptPolicy extends ActivePolicy {
  readonly material: PolicyMaterial;
  /** With overlays and switches. */
  readonly data: JsonObject;
  readonly since: Date;
}

export interface PolicyKeeperOptions {
  readonly source: PolicySource;
  readonly createEngine: (wasm: Uint8Array, data: object) => Promise<PolicyEngine>;
  readonly switches: SwitchValues;
  readonly invariants: readonly Invariant[];
  readonly limit: TimeLimit;
  readonly logger: Logger;
  readonly metrics: Pick<PdpMetrics, 'activated' | 'loaded'>;
}

export interface PolicyKeeper {
  readonly current: () => KeptPolicy;
  /** Loads again what the source has now. What is refused changes nothing but a log line and a metric. */
  readonly reload: () => Promise<void>;
  /** Reloads when the source has changed since it was last read. */
  readonly reloadIfChanged: () => Promise<void>;
}

/** Fresh WASM is ten times slower for its first 200 evaluations. */
const WARM_UP = 400;
const WARM_UP_SLICE = 20;
const SLICE_LIMIT_MS = 1000;

const DEPRECATED_USERS =
  'deprecated: these operations depend on the user who made a server. It is a safeguard against accidents, no boundary: ' +
  'users of one project can still see and reboot each other’s servers. It breaks what clients expect of a project, and goes ' +
  'away once projects can be nested.';

const warmUp = async (
  engine: PolicyEngine,
  questions: readonly unknown[],
  limit: TimeLimit,
): Promise<void> => {
  for (let start = 0; start < questions.length; start += WARM_UP_SLICE) {
    limit(SLICE_LIMIT_MS, () => {
      for (const question of questions.slice(start, start + WARM_UP_SLICE))
        engine.evaluate('decision', question);
    });
    // Requests to the policy in service go on in between.
    await nextTurn();
  }
};

const prepare = async (
  material: PolicyMaterial,
  { createEngine, switches, invariants, limit }: PolicyKeeperOptions,
): Promise<KeptPolicy> => {
  const data = policyDataOf(material, switches);
  const engine = await createEngine(material.wasm, data);
  limit(SLICE_LIMIT_MS, () => {
    runSelfTest(engine.evaluate, invariants);
  });
  const { actions } = tablesOf(data);
  await warmUp(engine, warmUpQuestions(Object.keys(actions), invariants, WARM_UP), limit);
  const resources = memberOf(memberOf(data, 'tenure'), 'resources');
  return {
    engine,
    revision: revisionOf(material.wasm, data),
    actions,
    resources: isJsonObject(resources) ? resources : {},
    material,
    data,
    since: new Date(),
  };
};

/**
 * Loads the first policy and keeps the best one in service from then on.
 * @throws PolicyRefused or PolicyFailure when the first one cannot be taken into service
 */
export const createPolicyKeeper = async (options: PolicyKeeperOptions): Promise<PolicyKeeper> => {
  const { source, switches, logger, metrics } = options;
  let print = await source.fingerprint();
  let active = await prepare(await source.read(), options);
  const announce = (): void => {
    metrics.loaded('activated');
    metrics.activated(active.revision);
    logger.info({ revision: active.revision }, 'policy in service');
    const operations = creatorsOperations(active.actions);
    if (operations.length > 0) logger.warn({ actions: operations }, DEPRECATED_USERS);
  };
  announce();
  let loading = Promise.resolve();

  const load = async (): Promise<void> => {
    try {
      print = await source.fingerprint();
      const material = await source.read();
      if (revisionOf(material.wasm, policyDataOf(material, switches)) === active.revision) {
        metrics.loaded('unchanged');
        return;
      }
      active = await prepare(material, options);
      announce();
    } catch (error) {
      metrics.loaded('refused');
      logger.error(
        { err: error, revision: active.revision },
        `new policy refused, the old one stays: ${wordsOf(error)}`,
      );
    }
  };
  // One at a time; `load` never rejects.
  const reload = (): Promise<void> => (loading = loading.then(load));
  return {
    current: () => active,
    reload,
    reloadIfChanged: async () => {
      if ((await source.fingerprint()) !== print) await reload();
    },
  };
};
