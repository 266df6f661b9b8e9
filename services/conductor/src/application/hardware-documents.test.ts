import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aNode, type FakeInventory } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';

let harness: ConductorHarness;
let inventory: FakeInventory;

beforeEach(() => {
  harness = new ConductorHarness();
  ({ inventory } = harness);
});

afterEach(async () => {
  await harness.close();
});

async function sync(): Promise<void> {
  await harness.conductor.sync.round();
  await harness.idle();
}

describe('BIOS settings and firmware versions', () => {
  it('are stored when the power is first read', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    await sync();
    expect(inventory.documents.get(`bios of ${node.uuid}`)).toEqual({
      settings: [
        { name: 'BootMode', value: 'Bios' },
        { name: 'NumLock', value: 'true' },
      ],
    });
    expect(inventory.documents.get(`firmware of ${node.uuid}`)).toMatchObject({
      components: [
        { component: 'bios', current_version: 'B-1.2' },
        { component: 'bmc', current_version: 'M-3.4' },
      ],
    });
  });

  it('are read once', async () => {
    const bmc = await harness.openBmc();
    inventory.put(aRedfishNode(bmc));
    await sync();
    await sync();
    expect(bmc.requests.filter(({ path }) => path.endsWith('/Bios'))).toHaveLength(1);
  });

  it('are not read when the inventory has them', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    const stored = { settings: [{ name: 'NumLock', value: 'false' }] };
    inventory.documents.set(`bios of ${node.uuid}`, stored);
    await sync();
    expect(inventory.documents.get(`bios of ${node.uuid}`)).toBe(stored);
    expect(bmc.requests.filter(({ path }) => path.endsWith('/Bios'))).toEqual([]);
  });

  it('are read anew when a node is verified', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc, {}, { provision_state: 'enroll' }));
    inventory.documents.set(`bios of ${node.uuid}`, { settings: [{ name: 'Old', value: 'x' }] });
    await harness.provision(node, { target: 'manage' });
    expect(await harness.completed(node)).toMatchObject({ provision_state: 'manageable' });
    expect(inventory.documents.get(`bios of ${node.uuid}`)).toEqual({
      settings: [
        { name: 'BootMode', value: 'Bios' },
        { name: 'NumLock', value: 'true' },
      ],
    });
  });

  it('are tried again after a failure', async () => {
    const bmc = await harness.openBmc();
    const node = inventory.put(aRedfishNode(bmc));
    bmc.faults.empty = { GET: 500 };
    harness.conductor.documents.storeMissing(node);
    await harness.idle();
    expect(inventory.documents.size).toBe(0);
    bmc.faults.empty = {};
    harness.conductor.documents.storeMissing(node);
    await harness.idle();
    expect([...inventory.documents.keys()]).toEqual([
      `bios of ${node.uuid}`,
      `firmware of ${node.uuid}`,
    ]);
  });

  it('are tried again in later rounds, after those of nodes not met yet', async () => {
    const { documents } = inventory;
    const put = inventory.putDocument.bind(inventory);
    const broken = Array.from({ length: 50 }, () => inventory.put(aNode()));
    const newcomer = inventory.put(aNode());
    inventory.putDocument = (context, uuid, kind, change) =>
      broken.some((node) => node.uuid === uuid)
        ? Promise.reject(new Error('refused'))
        : put(context, uuid, kind, change);
    await sync();
    expect(documents.size).toBe(0);
    await sync();
    expect([...documents.keys()]).toEqual([
      `bios of ${newcomer.uuid}`,
      `firmware of ${newcomer.uuid}`,
    ]);
    inventory.putDocument = put;
    await sync();
    expect(documents.size).toBe(102);
  });

  it('are left alone where the interfaces are switched off', async () => {
    inventory.put(aNode({ bios_interface: 'no-bios', firmware_interface: 'no-firmware' }));
    await sync();
    expect(inventory.documents.size).toBe(0);
  });

  it('are not read for a whole fleet at once', async () => {
    for (let count = 0; count < 70; count += 1) inventory.put(aNode());
    await sync();
    expect(inventory.documents.size).toBe(100);
    await sync();
    expect(inventory.documents.size).toBe(140);
  });
});
