import { setImmediate as nextTick } from 'node:timers/promises';
import {
  CaseFailed,
  checkGolden,
  isJsonObject,
  isPolicyAnswer,
  type JsonObject,
  memberOf,
  type OpenedBundle,
  policyDataOf,
  type PolicyTables,
  revisionOf,
  type SwitchValues,
  tablesOf,
} from '@tenure/policy';
import { budgetFor, type WarmUp } from '../../domain/fuel.js';
import { type Invariant, runSelfTest, warmUpQuestions } from '../../domain/self-test.js';
import { type EngineFactory, type PolicyEngine } from '../../ports/policy-engine.js';
import { type BundleOpener, type PolicyParts } from '../../ports/policy-source.js';

/** A policy in service: verified, self-tested, warm. */
export interface ActivePolicy {
  readonly engine: PolicyEngine;
  readonly revision: string;
  /** The action table that the engine has, with overlays. */
  readonly actions: PolicyTables['actions'];
  /** Types of resources of questions. */
  readonly resources: JsonObject;
}

/** The verified parts of a policy, before its first evaluation. */
export interface VerifiedPolicy {
  readonly parts: PolicyParts;
  readonly opened: OpenedBundle;
  /** With overlays and switches. */
  readonly data: JsonObject;
  readonly revision: string;
}

export interface PolicyLoader {
  /** @throws PolicyRefused with the reason */
  readonly verify: (parts: PolicyParts) => VerifiedPolicy;
  /**
   * Tries a policy and warms it; what is in service goes on answering in between.
   * @param deadlineMs that one evaluation gets
   * @throws PolicyRefused or PolicyFailure
   */
  readonly prepare: (policy: VerifiedPolicy, deadlineMs: number) => Promise<ActivePolicy>;
}

export interface PolicyLoaderOptions {
  readonly open: BundleOpener;
  readonly compile: EngineFactory;
  readonly switches: SwitchValues;
  readonly invariants: readonly Invariant[];
  /** Milliseconds of a steady clock that resolves parts of a microsecond, from any start. */
  readonly now: () => number;
}

/** Fresh WASM is ten times slower for its first 200 evaluations. */
const COLD = 200;
const WARM_UP = 400;
const SLICE = 5;
/** Units of fuel for an evaluation before the speed of the policy is measured: two thousand times those of a usual one. */
const LOADING_BUDGET = 200_000_000;

/** Verifies policies and prepares them for service. */
export function createPolicyLoader(options: PolicyLoaderOptions): PolicyLoader {
  const { open, compile, switches, invariants, now } = options;
  return {
    verify: (parts) => {
      const opened = open(parts);
      const data = policyDataOf({ data: opened.data, overlays: parts.overlays }, switches);
      return { parts, opened, data, revision: revisionOf(opened.wasm, data) };
    },
    prepare: async ({ opened, data, revision }, deadlineMs) => {
      let budget = LOADING_BUDGET;
      const make = await compile(opened.wasm, () => budget);
      // Without the operator's overlays and switches, which may legitimately change these decisions.
      const published = policyDataOf({ data: opened.data, overlays: [] }, {});
      await checkGoldens(opened, await make(published));
      const engine = await make(data);
      runSelfTest(engine.evaluate, invariants);
      const { actions } = tablesOf(data);
      const questions = warmUpQuestions(Object.keys(actions), invariants, WARM_UP);
      budget = budgetFor(await warmUp(engine, questions, now), deadlineMs);
      const resources = memberOf(memberOf(data, 'tenure'), 'resources');
      return { engine, revision, actions, resources: isJsonObject(resources) ? resources : {} };
    },
  };
}

const checkGoldens = ({ golden }: OpenedBundle, engine: PolicyEngine): Promise<void> =>
  inSlices(golden, (each) => {
    const answer = engine.evaluate('decision', each.input);
    if (!isPolicyAnswer(answer))
      throw new CaseFailed(each.name, `the golden decision "${each.name}" is no decision`);
    checkGolden(each, answer);
  });

async function warmUp(
  engine: PolicyEngine,
  questions: readonly unknown[],
  now: () => number,
): Promise<WarmUp> {
  const speeds: number[] = [];
  let most = 0;
  const ask = (question: unknown): void => {
    engine.evaluate('decision', question);
  };
  await inSlices(questions.slice(0, COLD), ask);
  await inSlices(questions.slice(COLD), (question) => {
    const began = now();
    ask(question);
    const cost = engine.lastCost();
    speeds.push(cost / (now() - began));
    most = Math.max(most, cost);
  });
  return { speeds, most };
}

/** Runs work a slice at a time; requests to the policy in service go on in between. */
async function inSlices<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (const slice of slicesOf(items)) {
    for (const item of slice) work(item);
    await nextTick();
  }
}

const slicesOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / SLICE) }, (_, at) =>
    items.slice(at * SLICE, (at + 1) * SLICE),
  );
