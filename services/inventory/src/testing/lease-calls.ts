import { type NodeRecord } from '@tenure/contracts';
import { uuidOf } from './fixtures.js';
import { CLEANED } from './handover-calls.js';
import { type Answer } from './signed-request.js';
import { type TestApp } from './test-app.js';

export const OWNER = 'p-owner';
export const LESSEE = 'p-lessee';

type Fields = Readonly<Record<string, unknown>>;

interface ConductorCalls {
  /** A conductor begins what is due. */
  readonly round: () => Promise<unknown>;
  /** A conductor's report on a lease that is over. */
  readonly report: (uuid: string, said: Fields) => Promise<Answer>;
}

/** A conductor's calls on the handover of a node. */
interface HandoverCalls {
  readonly reportHandover: (number: number, said: Fields) => Promise<Answer>;
  /** Everything is done: the node is handed over. */
  readonly handOver: (number: number) => Promise<Answer>;
}

interface LeaseCalls extends ConductorCalls, HandoverCalls {
  readonly storedNode: (number: number) => Promise<NodeRecord>;
  readonly tenancyOf: (number: number) => Promise<Fields>;
  /** Lends node 1 to the lessee, unless said otherwise. */
  readonly lend: (fields: Fields) => Promise<Answer>;
  /** The lease that holds a node. */
  readonly leaseIn: (number: number) => Promise<string>;
  readonly change: (uuid: string, patch: unknown) => Promise<Answer>;
  readonly end: (uuid: string) => Promise<Answer>;
}

/** Calls about leases, each with what its context would say. */
export function leaseCalls(app: () => TestApp): LeaseCalls {
  const storedNode = async (number: number): Promise<NodeRecord> => {
    const node = await app().stores.nodes.findBy('uuid', uuidOf(number));
    if (node === undefined) throw new Error(`there is no node ${String(number)}`);
    return node;
  };
  const tenancyOf = async (number: number): Promise<Fields> =>
    (await app().call({ from: 'gateway', target: `/internal/tenancy/nodes/${uuidOf(number)}` }))
      .body as Fields;
  const onLease = async (uuid: string, method: string, body?: unknown): Promise<Answer> => {
    const target = `/internal/tenancy/leases/${uuid}`;
    const { body: tenancy } = await app().call({ from: 'gateway', target });
    const { tenancy_revision } = tenancy as { readonly tenancy_revision: number };
    return app().call({
      from: 'gateway',
      method,
      target: `/v1/leases/${uuid}`,
      body,
      context: { resources: [{ type: 'lease', uuid, tenancy_revision }] },
    });
  };
  return {
    storedNode,
    tenancyOf,
    lend: async (fields: Fields): Promise<Answer> => {
      const body = { node_uuid: uuidOf(1), lessee: LESSEE, ...fields };
      const node = await app().call({
        from: 'gateway',
        target: `/internal/tenancy/nodes/${body.node_uuid}`,
      });
      const { uuid, tenancy_revision } = node.body as {
        readonly uuid: string;
        readonly tenancy_revision: number;
      };
      return app().call({
        from: 'gateway',
        method: 'POST',
        target: '/v1/leases',
        body,
        context: { resources: [{ type: 'node', uuid, tenancy_revision }] },
      });
    },
    leaseIn: async (number: number): Promise<string> =>
      String((await storedNode(number)).lease_uuid),
    change: (uuid: string, patch: unknown): Promise<Answer> => onLease(uuid, 'PATCH', patch),
    end: (uuid: string): Promise<Answer> => onLease(uuid, 'DELETE'),
    ...conductorCalls(app),
    ...handoverCalls(app, storedNode),
  };
}

const conductorCalls = (app: () => TestApp): ConductorCalls => ({
  round: async () =>
    (
      await app().call({
        from: 'conductor',
        method: 'POST',
        target: '/internal/leases/begin',
        body: { hostname: 'c-1' },
      })
    ).body,
  report: (uuid, said) =>
    app().call({
      from: 'conductor',
      method: 'POST',
      target: `/internal/leases/${uuid}/end`,
      body: { hostname: 'c-1', ...said },
    }),
});

function handoverCalls(
  app: () => TestApp,
  storedNode: (number: number) => Promise<NodeRecord>,
): HandoverCalls {
  const say = async (number: number, what: string, body: Fields): Promise<Answer> => {
    const { handover_uuid: handover } = await storedNode(number);
    const target = `/internal/handovers/${String(handover)}/${what}`;
    return app().call({ from: 'conductor', method: 'POST', target, body });
  };
  return {
    reportHandover: (number, said) => say(number, 'report', said),
    handOver: async (number) => {
      await say(number, 'report', CLEANED);
      return say(number, 'complete', {});
    },
  };
}
