import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode, FakeInventory } from '@tenure/testing';
import { ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { FakeParts } from '../testing/fake-parts.js';

let inventory: FakeInventory;
let first: ConductorHarness;
let second: ConductorHarness;

beforeEach(() => {
  inventory = new FakeInventory();
  const parts = new FakeParts(inventory);
  first = new ConductorHarness(inventory, parts);
  second = new ConductorHarness(inventory, parts, { hostname: 'conductor-2' });
});

afterEach(async () => {
  await first.close();
  await second.close();
});

async function beatAll(): Promise<void> {
  // Twice, so that the first hears of the second, too.
  for (const { conductor } of [first, second, first, second]) await conductor.heartbeat.beat();
}

const fleet = (fields: Partial<NodeRecord> = {}): readonly NodeRecord[] =>
  Array.from({ length: 40 }, () => inventory.put(aNode(fields)));

const mineOf = ({ conductor }: ConductorHarness, nodes: readonly NodeRecord[]) =>
  nodes.filter((node) => conductor.membership.isMine(node));

describe('conductors that share a fleet', () => {
  it('divide it between them', async () => {
    const nodes = fleet();
    await beatAll();
    const [ofFirst, ofSecond] = [mineOf(first, nodes), mineOf(second, nodes)];
    expect(ofFirst.length).toBeGreaterThan(5);
    expect(ofSecond.length).toBeGreaterThan(5);
    expect(new Set([...ofFirst, ...ofSecond]).size).toBe(40);
    expect(ofFirst.length + ofSecond.length).toBe(40);
  });

  it('read the power and the hardware of their own nodes only', async () => {
    const nodes = fleet();
    await beatAll();
    for (const harness of [first, second]) {
      await harness.conductor.sync.round();
      await harness.idle();
      const mine = mineOf(harness, nodes);
      expect(harness.outcomes).toHaveLength(mine.length);
      const met = nodes.filter(({ uuid }) => harness.conductor.documents.isVisited(uuid));
      expect(met).toEqual(mine);
    }
  });

  it('end the overdue waits of their own nodes only', async () => {
    const nodes = fleet({
      provision_state: 'clean wait',
      provision_updated_at: '2020-01-01T00:00:00+00:00',
    });
    await beatAll();
    const waiting = () =>
      nodes.filter(({ uuid }) => inventory.node(uuid).provision_state === 'clean wait');
    await first.overdueFor(1800);
    expect(waiting()).toEqual(mineOf(second, nodes));
    await second.overdueFor(1800);
    expect(waiting()).toEqual([]);
  });

  it('take on the share of one that died with their next heartbeat', async () => {
    const nodes = fleet();
    await beatAll();
    inventory.unheard.add(HOST);
    expect(mineOf(second, nodes).length).toBeLessThan(40);
    await second.conductor.heartbeat.beat();
    expect(mineOf(second, nodes)).toHaveLength(40);
  });

  it('keep to what they know while the inventory is away', async () => {
    const nodes = fleet();
    await beatAll();
    const before = mineOf(second, nodes);
    inventory.away = true;
    await second.conductor.heartbeat.beat();
    expect(mineOf(second, nodes)).toEqual(before);
  });

  it('begin no round before they have ever heard of each other', async () => {
    const nodes = fleet();
    await second.conductor.heartbeat.beat();
    inventory.away = true;
    await expect(first.conductor.sync.round()).rejects.toMatchObject({ status: 503 });
    inventory.away = false;
    await first.conductor.sync.round();
    expect(first.outcomes).toHaveLength(mineOf(first, nodes).length);
    expect(first.outcomes.length).toBeLessThan(40);
  });
});
