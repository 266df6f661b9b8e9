import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newCallContext } from '@tenure/signed-context';
import { ConductorHarness } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const registered = () =>
  harness.inventory.listConductors(newCallContext('tenure:conductor:heartbeat'));

const alive = async () => (await registered()).map(({ hostname }) => hostname);

describe('a conductor that is stopped', () => {
  it('counts as dead at once, after the heartbeat that was under way', async () => {
    const { heartbeat } = harness.conductor;
    const beating = heartbeat.beat();
    await heartbeat.deregister();
    await beating;
    expect(await alive()).toEqual([]);
  });

  it('sends no heartbeat after it has deregistered', async () => {
    const { heartbeat } = harness.conductor;
    await heartbeat.beat();
    await heartbeat.deregister();
    await heartbeat.beat();
    expect(await alive()).toEqual([]);
    expect(harness.inventory.reports).toHaveLength(1);
  });

  it('reports where it is reached', async () => {
    await harness.conductor.heartbeat.beat();
    expect(await registered()).toMatchObject([
      { hostname: 'conductor-1', advertised_url: 'http://127.0.0.1:9' },
    ]);
  });
});
