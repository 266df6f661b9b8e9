import { type ContextClaims, type HandoverRecord, type NodeRecord } from '@tenure/contracts';
import { EVERYTHING, uuidOf } from './fixtures.js';
import { type Answer } from './signed-request.js';
import { seesAll, type TestApp } from './test-app.js';

type Fields = Readonly<Record<string, unknown>>;
type Subject = NonNullable<ContextClaims['subject']>;

/** A member of a project. */
export const memberOf = (project: string): Subject => ({
  user_id: `u-${project}`,
  project_id: project,
  system_scope: null,
  domain_id: null,
  roles: ['member'],
});

interface HandoverCalls {
  readonly node: (number: number) => Promise<NodeRecord>;
  /** All handovers, in the order in which they were opened. */
  readonly records: () => Promise<readonly HandoverRecord[]>;
  /** A PATCH of some fields in the name of a project. */
  readonly patch: (number: number, project: string, fields: Fields) => Promise<Answer>;
  /** An order: takes the lock in somebody's name, and lets go of it again. */
  readonly order: (
    number: number,
    context: Partial<ContextClaims>,
    set?: Fields,
  ) => Promise<Answer>;
  readonly say: (number: number, what: 'report' | 'complete', body?: Fields) => Promise<Answer>;
}

/** Calls about handovers, each with what its context would say. */
export const handoverCalls = (app: () => TestApp): HandoverCalls => {
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
  return {
    node,
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
    order: async (number, context, set = {}) => {
      const taken = await app().call({
        from: 'conductor',
        method: 'POST',
        target: `/internal/nodes/${uuidOf(number)}/reservation`,
        body: { holder: 'c-1' },
        context: { action: 'baremetal:node:set_power_state', ...context },
      });
      if (taken.status !== 200) return taken;
      const { fence } = taken.body as { readonly fence: number };
      return change(number, { holder: 'c-1', fence, set, release: true }, context);
    },
    say: async (number, what, body = {}) => {
      const { handover_uuid: handover } = await node(number);
      const target = `/internal/handovers/${String(handover)}/${what}`;
      return app().call({ from: 'conductor', method: 'POST', target, body });
    },
  };
};
