import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TenancyChangedError } from '@tenure/contracts';
import { PORT } from '../../domain/kinds/port.js';
import { createdValues, parsedPatch } from '../../domain/resource-values.js';
import { type Stores } from '../../ports/stores.js';
import { memoryStores } from '../../testing/empty-stores.js';
import { EVERYTHING, makeNode, uuidOf } from '../../testing/fixtures.js';
import { macOf, replacing } from '../../testing/resource-calls.js';
import { seesAll } from '../../testing/test-app.js';
import { chargedStores } from '../budgets/charged-stores.js';
import { setLimits } from '../budgets/quotas.js';
import { createUsage } from '../budgets/usage.js';
import { type ResourceContext } from './find-resource.js';
import { createResource, updateResource } from './write-resources.js';

const now = (): Date => new Date('2026-11-21T08:00:00Z');
const node = { type: 'node', uuid: uuidOf(1), tenancy_revision: 1 };
const context: ResourceContext = { resources: [node], obligations: seesAll, subject: null };

let stores: Stores;
beforeEach(async () => {
  stores = await memoryStores();
  await stores.nodes.insert((epoch) => makeNode({ uuid: uuidOf(1), owner: 'p-a' }, epoch));
});
afterEach(() => stores.close());

/** The same stores, but the node changes hands as soon as a port is written. */
function racing(over = stores): Stores {
  const { ports } = over.resources;
  const changeHands = async (): Promise<void> => {
    const before = await stores.nodes.findBy('uuid', uuidOf(1));
    if (before?.owner !== 'p-a') return;
    const after = { ...before, owner: 'p-b', tenancy_revision: 2, revision: 2 };
    await stores.nodes.swap(after, before.revision);
  };
  return {
    ...over,
    resources: {
      ...over.resources,
      ports: {
        ...ports,
        insert: async (build) => {
          const written = await ports.insert(build);
          await changeHands();
          return written;
        },
        swap: async (record, expected) => {
          const isWritten = await ports.swap(record, expected);
          await changeHands();
          return isWritten;
        },
      },
    },
  };
}

const values = createdValues(
  PORT,
  { address: macOf(11), node_uuid: uuidOf(1), uuid: uuidOf(11) },
  65,
);

describe('a node that changes hands while a port of it is written', () => {
  it('keeps no port that was created for the owner before', async () => {
    const creating = createResource({ stores: racing(), now }, PORT, values, context);
    await expect(creating).rejects.toBeInstanceOf(TenancyChangedError);
    expect(await stores.resources.ports.list(EVERYTHING)).toEqual([]);
  });

  it('keeps its port as it was before the patch', async () => {
    const { record } = await createResource({ stores, now }, PORT, values, context);
    const port = { type: 'port', uuid: record.uuid, tenancy_revision: 1 };
    const update = {
      ident: record.uuid,
      operations: parsedPatch(PORT, replacing('/extra', { a: 1 }), 65),
    };
    const deps = { stores: racing(), now };
    const updating = updateResource(deps, PORT, update, { ...context, resources: [port, node] });
    await expect(updating).rejects.toBeInstanceOf(TenancyChangedError);
    expect(await stores.resources.ports.findBy('uuid', record.uuid)).toEqual({
      ...record,
      revision: record.revision + 2,
    });
  });

  it('restores a port that exceeds the budget by now', async () => {
    const usage = createUsage({ stores, now, onRefused: () => undefined });
    const charged = chargedStores(stores, usage, { isForced: false });
    const unrefused = chargedStores(stores, usage, { isForced: true }).resources;
    const subject = { user_id: 'u', project_id: 'p-a' } as ResourceContext['subject'];
    const large = { ...values, extra: { text: 'x'.repeat(100) } };
    const mine = { ...context, subject };
    const { record } = await createResource({ stores: charged, now }, PORT, large, mine);
    const used = async () => (await stores.usage.findBy('uuid', 'project:p-a'))?.used;
    const before = await used();
    const port = { type: 'port', uuid: record.uuid, tenancy_revision: 1 };
    const operations = parsedPatch(PORT, replacing('/extra', {}), 65);
    // With these limits, the larger port does not fit into the budget when it is restored.
    await setLimits(stores, 'project:p-a', { bytes: 1, ports: 0 });
    const updating = updateResource(
      { stores: racing(charged), now, unrefused },
      PORT,
      { ident: record.uuid, operations },
      { ...mine, resources: [port, node] },
    );
    await expect(updating).rejects.toBeInstanceOf(TenancyChangedError);
    expect(await stores.resources.ports.findBy('uuid', record.uuid)).toMatchObject({
      extra: large.extra,
    });
    expect(await used()).toEqual(before);
  });
});
