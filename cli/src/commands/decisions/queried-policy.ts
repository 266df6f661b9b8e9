import {
  askerFor,
  type JsonObject,
  type PolicyAnswer,
  policyDataOf,
  revisionOf,
} from '@tenure/policy';
import { type Environment } from '@tenure/process';
import { switchesFrom } from '../policy/ask/switches.js';
import { loadPolicy, type PolicyOptions } from '../policy/policy-options.js';

/** A policy that logged decisions are evaluated against again. */
export interface QueriedPolicy {
  /** @throws PolicyFailure when it cannot be evaluated, or gives no decision */
  readonly ask: (question: JsonObject) => PolicyAnswer;
  /** Its data, with overlays and switches. */
  readonly data: JsonObject;
  /** The revision that the decision point reports. */
  readonly revision: string;
}

/**
 * The policy of the options, under the switches of the environment: as the decision point would have it.
 * @throws PolicyRefused when it cannot be used
 */
export async function loadQueriedPolicy(
  options: PolicyOptions,
  env: Environment,
): Promise<QueriedPolicy> {
  const policy = await loadPolicy(options);
  const switches = switchesFrom(env, {});
  const data = policyDataOf(policy.material, switches);
  return {
    ask: askerFor(await policy.under(switches)),
    data,
    revision: revisionOf(policy.material.wasm, data),
  };
}
