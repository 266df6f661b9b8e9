import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ContextClaims, handoverDigest, sealedDigest } from '@tenure/contracts';
import { publicKeysOf, verifyCustody } from '@tenure/decision-log';
import { faultOf } from '@tenure/testing';
import { type StoredHandover } from './ports/stores.js';
import { makeCustodySigner, makeHandover } from './testing/custody.js';
import { makeNode, uuidOf } from './testing/fixtures.js';
import { type Answer } from './testing/signed-request.js';
import { NOTHING, seesAll, startTestApp, type TestApp } from './testing/test-app.js';

type Obligations = ContextClaims['obligations'];
type Rows = readonly Readonly<Record<string, unknown>>[];

let app: TestApp;
let stored: readonly StoredHandover[] = [];

const NODE = uuidOf(1);
const OTHER_NODE = uuidOf(2);
const signer = makeCustodySigner();

const insert = (values: ReturnType<typeof makeHandover>): Promise<StoredHandover> =>
  app.stores.handovers.insert((epoch) => ({ ...values, revision: epoch }));

/** As the policy answers a project that leases the node now. */
const asLessee = (project: string): Obligations => ({
  ...NOTHING,
  filter: {
    mode: 'any_of',
    predicates: [
      { field: 'from_project', op: 'eq', value: project, masked: ['to_project'] },
      { field: 'to_project', op: 'eq', value: project, masked: ['from_project', 'sealed'] },
    ],
  },
  fields: { masked: ['firmware', 'step_detail'], read_only: [] },
});

/** As the policy answers the project that owns the node now. */
const asOwner = (project: string): Obligations => ({
  ...NOTHING,
  filter: {
    mode: 'any_of',
    predicates: [
      { field: 'node_uuid', op: 'eq', value: NODE, masked: ['sealed'] },
      { field: 'owner', op: 'eq', value: project, masked: [] },
    ],
  },
});

const onNode = (below: string, obligations: Obligations): Promise<Answer> =>
  app.onNode(NODE, { below: `/handovers${below}`, context: { obligations } });

const everywhere = (below: string, obligations: Obligations): Promise<Answer> =>
  app.call({
    from: 'gateway',
    target: `/v1/handovers${below}`,
    context: { obligations, action: 'baremetal:handover:list' },
  });

const rowsIn = ({ body }: Answer): Rows => (body as { readonly handovers: Rows }).handovers;
const uuidsIn = (answer: Answer): readonly unknown[] => rowsIn(answer).map(({ uuid }) => uuid);

beforeAll(async () => {
  app = await startTestApp();
  const first = makeHandover(1, { owner: 'p-before', from_project: 'p-before', to_project: null });
  const stampOfFirst = await signer.sign(first, { count: 0, digest: null });
  const second = makeHandover(2, {
    from_project: 'p-b',
    opened_at: '2026-11-21T09:00:00+00:00',
    completed_at: '2026-11-21T09:05:00+00:00',
  });
  const { number: count, digest } = stampOfFirst;
  const stampOfSecond = await signer.sign(second, { count, digest });
  const head = { count: stampOfSecond.number, digest: stampOfSecond.digest };
  await app.stores.nodes.insert((epoch) => ({
    ...makeNode({ uuid: NODE, name: 'n-1', owner: 'p-a' }, epoch),
    custody: { head },
    handover_uuid: uuidOf(3),
  }));
  await app.stores.nodes.insert((epoch) => makeNode({ uuid: OTHER_NODE }, epoch));
  stored = [
    await insert({ ...first, ...stampOfFirst }),
    await insert({ ...second, ...stampOfSecond }),
    await insert(makeHandover(3, { status: 'failed', from_project: 'p-c', to_project: 'p-b' })),
    await insert(makeHandover(4, { node_uuid: OTHER_NODE })),
  ];
});
afterAll(() => app.close());

describe('the handovers of a node', () => {
  it('are listed oldest first, in short, with a link to each', async () => {
    const answer = await onNode('', seesAll);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-tenure-policy-filter')).toBe('all');
    expect(uuidsIn(answer)).toEqual([uuidOf(1), uuidOf(2), uuidOf(3)]);
    const path = `nodes/${NODE}/handovers/${uuidOf(2)}`;
    expect(rowsIn(answer)[1]).toEqual({
      uuid: uuidOf(2),
      number: 2,
      cause: 'lease_end',
      status: 'complete',
      from_project: 'p-b',
      to_project: 'p-c',
      opened_at: '2026-11-21T09:00:00+00:00',
      completed_at: '2026-11-21T09:05:00+00:00',
      links: [
        { href: `http://127.0.0.1:6385/v1/${path}`, rel: 'self' },
        { href: `http://127.0.0.1:6385/${path}`, rel: 'bookmark' },
      ],
    });
  });

  it('come in pages, and the next page asks for the same', async () => {
    const answer = await onNode('?limit=2&fields=uuid,status', seesAll);
    const { next } = answer.body as { readonly next: string };
    expect(uuidsIn(answer)).toEqual([uuidOf(1), uuidOf(2)]);
    expect(next).toBe(
      `http://127.0.0.1:6385/v1/nodes/${NODE}/handovers?fields=uuid,status&limit=2&marker=${uuidOf(2)}`,
    );
    const rest = await onNode(`?limit=2&marker=${uuidOf(2)}`, seesAll);
    expect(uuidsIn(rest)).toEqual([uuidOf(3)]);
    expect(rest.body).not.toHaveProperty('next');
  });

  it('are returned whole, so that an auditor can compute the digest of each', async () => {
    const { body } = await onNode(`/${uuidOf(2)}`, {
      ...seesAll,
      fields: { masked: ['sealed'], read_only: [] },
    });
    const [, record] = stored;
    expect(body).toMatchObject({
      sealed: null,
      sealed_digest: sealedDigest({ sealed: { description: 'ours' } }),
      steps: [{ step: 'power_off', detail: 'the BMC said off' }],
      number: 2,
      previous: stored[0]?.digest,
      digest: record === undefined ? '' : handoverDigest(record),
      signature: record?.signature,
    });
  });

  it('show a lessee those from and to its project, without the other tenant', async () => {
    const answer = await onNode('?detail=true', asLessee('p-b'));
    expect(answer.headers.get('x-tenure-policy-filter')).toBe('from_project,to_project');
    expect(rowsIn(answer)).toMatchObject([
      { uuid: uuidOf(2), from_project: 'p-b', to_project: null, sealed: { description: 'ours' } },
      { uuid: uuidOf(3), from_project: null, to_project: 'p-b', sealed: null },
    ]);
    for (const row of rowsIn(answer)) {
      expect(row['firmware']).toBeNull();
      expect(row['steps']).toMatchObject([{ step: 'power_off', detail: null }]);
    }
  });

  it('show the owner all, but what tenants wrote only of its own time', async () => {
    const answer = await onNode('?fields=uuid,sealed', asOwner('p-a'));
    expect(rowsIn(answer).map(({ uuid, sealed }) => [uuid, sealed])).toEqual([
      [uuidOf(1), null],
      [uuidOf(2), { description: 'ours' }],
      [uuidOf(3), { description: 'ours' }],
    ]);
  });

  it('are missing alike when they are not visible, of another node, or not there', async () => {
    for (const number of [1, 4, 99]) {
      const answer = await onNode(`/${uuidOf(number)}`, asLessee('p-b'));
      expect(answer.status).toBe(404);
      expect(faultOf(answer)).toBe(`Handover ${uuidOf(number)} could not be found.`);
      const marked = await onNode(`?marker=${uuidOf(number)}`, asLessee('p-b'));
      expect([marked.status, faultOf(marked)]).toEqual([404, faultOf(answer)]);
    }
  });

  it('are refused to a filter on anything else', async () => {
    const filter = {
      mode: 'any_of',
      predicates: [{ field: 'user_id', op: 'eq', value: 'u-1' }],
    } as const;
    const obligations = { ...NOTHING, filter: { ...filter, predicates: [...filter.predicates] } };
    expect((await onNode('', obligations)).status).toBe(500);
  });

  it('cannot be written', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const below of ['', `/${uuidOf(2)}`]) {
        const answer = await app.onNode(NODE, { below: `/handovers${below}`, method, body: {} });
        expect(answer.status).toBe(404);
      }
  });
});

describe('handovers of whichever node', () => {
  it('are found by a former tenant that does not see the node any more', async () => {
    const list = await everywhere('', asLessee('p-c'));
    expect(uuidsIn(list)).toEqual([uuidOf(2), uuidOf(3), uuidOf(4)]);
    const one = await everywhere(`/${uuidOf(3)}`, asLessee('p-c'));
    expect(one.body).toMatchObject({ from_project: 'p-c', sealed: { description: 'ours' } });
  });

  it('are missing for everyone else', async () => {
    expect(uuidsIn(await everywhere('', asLessee('p-x')))).toEqual([]);
    expect((await everywhere(`/${uuidOf(3)}`, asLessee('p-x'))).status).toBe(404);
    expect((await everywhere('', NOTHING)).body).toEqual({ handovers: [] });
  });
});

describe('the custody record for the command line', () => {
  it('is whole, with the head that the node keeps, by name as by uuid', async () => {
    for (const ident of [NODE, 'n-1']) {
      const target = `/internal/nodes/${ident}/handovers`;
      const { body } = await app.call({ from: 'cli', target });
      const { head, handovers } = body as {
        readonly head: { readonly count: number; readonly digest: string };
        readonly handovers: readonly StoredHandover[];
      };
      expect(body).toMatchObject({ node: { uuid: NODE, name: 'n-1' }, handover_uuid: uuidOf(3) });
      const chain = { nodeUuid: NODE, records: handovers, head, open: uuidOf(3) };
      expect(verifyCustody(chain, publicKeysOf(signer.publicKeys.join('')))).toEqual({
        node_uuid: NODE,
        completed: 2,
        open: 1,
        findings: [],
      });
    }
  });

  it('comes in pages, and for nobody else', async () => {
    const target = `/internal/nodes/${NODE}/handovers?limit=1&marker=${uuidOf(2)}`;
    const { body } = await app.call({ from: 'cli', target });
    expect((body as { readonly handovers: Rows }).handovers).toMatchObject([{ uuid: uuidOf(3) }]);
    for (const from of ['gateway', 'conductor', 'allocation', 'compute'] as const)
      for (const path of [target, '/internal/custody/keys', '/internal/custody/nodes'])
        expect((await app.call({ from, target: path })).status).toBe(403);
  });

  it('names the nodes, and the public keys only', async () => {
    const nodes = await app.call({ from: 'cli', target: '/internal/custody/nodes?limit=1' });
    expect(nodes.body).toEqual({ nodes: [{ uuid: NODE, name: 'n-1' }] });
    const keys = await app.call({ from: 'cli', target: '/internal/custody/keys' });
    expect(JSON.stringify(keys.body)).not.toContain('PRIVATE');
    expect(keys.body).toMatchObject({ keys: [expect.stringContaining('BEGIN PUBLIC KEY')] });
  });
});
