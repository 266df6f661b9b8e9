import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TenancyChangedError } from '@tenure/contracts';
import { PORT } from '../../domain/kinds/port.js';
import { createdValues, parsedPatch } from '../../domain/resource-values.js';
import { type Stores } from '../../ports/stores.js';
import { memoryStores } from '../../testing/empty-stores.js';
import { EVERYTHING, makeNode, uuidOf } from '../../testing/fixtures.js';
import { macOf, replacing } from '../../testing/resource-calls.js';
import { seesAll } from '../../testing/test-app.js';
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
const racing = (): Stores => {
  const { ports } = stores.resources;
  const changeHands = async (): Promise<void> => {
    const before = await stores.nodes.findBy('uuid', uuidOf(1));
    if (before?.owner !== 'p-a') return;
    const after = { ...before, owner: 'p-b', tenancy_revision: 2, revision: 2 };
    await stores.nodes.swap(after, before.revision);
  };
  return {
    ...stores,
    resources: {
      ...stores.resources,
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
};

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
});
