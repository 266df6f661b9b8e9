import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const FIRST = '52:54:00:aa:00:01';
const SECOND = '52:54:00:aa:00:02';

/** A machine with two network cards. */
async function machine(): Promise<NodeRecord> {
  const bmc = await harness.openBmc();
  const card = (address: string) => ({ MACAddress: address, Status: { State: 'Enabled' } });
  bmc.machine.addParts('EthernetInterfaces', { eno1: card(FIRST), eno2: card(SECOND) });
  return harness.inventory.put(aRedfishNode(bmc, {}, { provision_state: 'manageable' }));
}

async function inspected(node: NodeRecord): Promise<NodeRecord> {
  await harness.provision(node, { target: 'inspect' });
  return harness.completed(node);
}

const addresses = async (node: NodeRecord): Promise<readonly unknown[]> =>
  (await harness.parts.ports.list(newCallContext('test'), node.uuid, 'ports')).map(
    ({ address }) => address,
  );

const DONE = { provision_state: 'manageable', last_error: null, reservation: null };

describe('network cards that an inspection found', () => {
  it('become ports, once', async () => {
    const node = await machine();
    for (let time = 0; time < 2; time += 1) {
      expect(await inspected(node)).toMatchObject(DONE);
      expect(await addresses(node)).toEqual([FIRST, SECOND]);
    }
    expect(harness.lines.join('')).not.toContain('exists already');
  });

  it("stay where they are when they are another node's, and the log says so", async () => {
    const node = await machine();
    const other = harness.inventory.put(aNode());
    harness.parts.put('ports', other.uuid, { address: FIRST });
    expect(await inspected(node)).toMatchObject(DONE);
    expect(await addresses(node)).toEqual([SECOND]);
    expect(await addresses(other)).toEqual([FIRST]);
    const said = harness.lines.filter((line) => line.includes('exists already'));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(FIRST);
  });

  it('are not created once the lock is lost', async () => {
    const node = await machine();
    harness.parts.beforeChange = () => {
      harness.inventory.breakLock(node.uuid);
    };
    await inspected(node);
    expect(await addresses(node)).toEqual([]);
    expect(harness.outcomes).toEqual(['redfish lock_lost']);
  });
});
