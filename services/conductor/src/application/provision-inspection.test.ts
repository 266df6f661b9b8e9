import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { ConductorHarness } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

describe('inspection', () => {
  it('fills in the missing properties, and stores an inventory', async () => {
    const node = harness.inventory.put(
      aNode({ provision_state: 'manageable', properties: { cpus: 64, rack: 7 } }),
    );
    expect(await harness.done(node, { target: 'inspect' })).toMatchObject({
      properties: { cpus: 64, rack: 7, cpu_arch: 'x86_64', memory_mb: 8192, local_gb: 100 },
      inspection_started_at: expect.stringMatching(/^2/u),
      inspection_finished_at: expect.stringMatching(/^2/u),
    });
    expect(harness.inventory.documents.get(`inventory of ${node.uuid}`)).toMatchObject({
      inventory: { cpu: { count: 64, architecture: 'x86_64' }, memory: { physical_mb: 8192 } },
      plugin_data: {},
    });
  });

  it('waits, unlocked, when an agent is to do it, and can be aborted', async () => {
    const node = harness.inventory.put(
      aNode({ provision_state: 'manageable', inspect_interface: 'agent' }),
    );
    expect(await harness.done(node, { target: 'inspect' })).toMatchObject({
      provision_state: 'inspect wait',
      target_provision_state: 'manageable',
      reservation: null,
      inspection_finished_at: null,
    });
    expect(await harness.done(node, { target: 'abort' })).toMatchObject({
      provision_state: 'inspect failed',
      reservation: null,
      last_error: 'The inspect wait was aborted by request.',
    });
  });

  it('is refused when the node has no such interface', async () => {
    const node = harness.inventory.put(
      aNode({ provision_state: 'manageable', inspect_interface: 'no-inspect' }),
    );
    await expect(harness.provision(node, { target: 'inspect' })).rejects.toMatchObject({
      status: 400,
      message: 'Driver fake-hardware does not support inspect (disabled or not implemented).',
    });
  });
});
