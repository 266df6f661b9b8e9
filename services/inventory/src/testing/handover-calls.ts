import { type ContextClaims, type HandoverRecord, type NodeRecord } from '@tenure/contracts';
import { EVERYTHING, uuidOf } from './fixtures.js';
import { type Answer } from './signed-request.js';
import { seesAll, type TestApp } from './test-app.js';

type Fields = Readonly<Record<string, unknown>>;
type Subject = NonNullable<ContextClaims['subject']>;

interface HandoverCalls {
  readonly node: (number: number) => Promise<NodeRecord>;
  /** All handovers, in the order in which they were opened. */
  readonly records: () => Promise<readonly HandoverRecord[]>;
  /** A PATCH of some fields in the name of a project. */
  readonly patch: (number: number, project: string, fields: Fields) => Promise<Answer>;
  /** An order: acquires the lock for a user, and releases it. */
  readonly order: (
    number: number,
    context: Partial<ContextClaims>,
    set?: Fields,
  ) => Promise<Answer>;
  /** The lock, taken by a conductor for itself. @returns its fence */
  readonly lock: (number: number) => Promise<number>;
  /** Releases the lock with the write that ends cleaning. */
  readonly applyChange: (number: number, fence: number, set: Fields) => Promise<Answer>;
  /** A conductor's report that the machine was cleaned. */
  readonly cleaned: (number: number) => Promise<Answer>;
  readonly say: (number: number, what: 'report' | 'complete', body?: Fields) => Promise<Answer>;
}

/** A conductor's report on a machine that was cleaned. */
export const CLEANED = {
  status: 'open',
  phase: 'cleaning',
  steps: [{ step: 'clean', outcome: 'done', at: '2026-11-21T08:00:30+00:00', detail: null }],
} as const;

/** A member of a project. */
export const memberOf = (project: string): Subject => ({
  user_id: `u-${project}`,
  project_id: project,
  system_scope: null,
  domain_id: null,
  roles: ['member'],
});

/** Calls about handovers, each with what its context would say. */
export function handoverCalls(app: () => TestApp): HandoverCalls {
  const { node, change, take, say } = conductorCalls(app);
  return {
    node,
    say,
    cleaned: (number) => say(number, 'report', CLEANED),
    records: () => app().stores.handovers.list(EVERYTHING),
    patch: (number, project, fields) =>
      app().onNode(uuidOf(number), {
        method: 'PATCH',
        body: Object.entries(fields).map(([name, value]) => ({
          op: 'replace',
          path: `/${name}`,
          value,
        })),
        context: {
          subject: memberOf(project),
          action: 'baremetal:node:update',
          decision_id: 'd-1',
          api_version: '1.109',
          obligations: seesAll,
        },
      }),
    lock: async (number) => {
      const taken = await take(number, { action: 'tenure:conductor:handover' });
      return (taken.body as { readonly fence: number }).fence;
    },
    applyChange: (number, fence, set) =>
      change(number, { holder: 'c-1', fence, set, release: true, handover: 'complete' }),
    order: async (number, context, set = {}) => {
      const taken = await take(number, { action: 'baremetal:node:set_power_state', ...context });
      if (taken.status !== 200) return taken;
      const { fence } = taken.body as { readonly fence: number };
      return change(number, { holder: 'c-1', fence, set, release: true }, context);
    },
  };
}

/** Calls of a conductor. */
function conductorCalls(app: () => TestApp) {
  const node = async (number: number): Promise<NodeRecord> => {
    const { body } = await app().call({
      from: 'conductor',
      target: `/internal/nodes/${uuidOf(number)}`,
    });
    return body as NodeRecord; // the record as it is
  };
  const change = (number: number, body: Fields, context: Partial<ContextClaims> = {}) =>
    app().call({
      from: 'conductor',
      method: 'PATCH',
      target: `/internal/nodes/${uuidOf(number)}`,
      body,
      context,
    });
  const take = (number: number, context: Partial<ContextClaims>): Promise<Answer> =>
    app().call({
      from: 'conductor',
      method: 'POST',
      target: `/internal/nodes/${uuidOf(number)}/reservation`,
      body: { holder: 'c-1' },
      context,
    });
  const say: HandoverCalls['say'] = async (number, what, body = {}) => {
    const { handover_uuid: handover } = await node(number);
    const target = `/internal/handovers/${String(handover)}/${what}`;
    return app().call({ from: 'conductor', method: 'POST', target, body });
  };
  return { node, change, take, say };
}
