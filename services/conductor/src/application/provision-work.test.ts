import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_OBLIGATIONS, type NodeRecord } from '@tenure/contracts';
import { newCallContext } from '@tenure/signed-context';
import { aNode } from '@tenure/testing';
import { plainOrder } from '../domain/provision/order.js';
import {
  AT_REST,
  ConductorHarness,
  HOST,
  type ProvisionBody,
} from '../testing/conductor-harness.js';
import { aboutNode } from './about-node.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const RAID = { interface: 'raid', step: 'create_configuration' } as const;

describe('on fake hardware', () => {
  it.each([
    ['enroll', { target: 'manage' }, 'manageable'],
    ['available', { target: 'manage' }, 'manageable'],
    ['clean failed', { target: 'manage' }, 'manageable'],
    ['manageable', { target: 'provide' }, 'available'],
    ['manageable', { target: 'inspect' }, 'manageable'],
    ['manageable', { target: 'adopt' }, 'active'],
    ['manageable', { target: 'clean', clean_steps: [RAID] }, 'manageable'],
    ['available', { target: 'active' }, 'active'],
    ['available', { target: 'deploy' }, 'active'],
    ['deploy failed', { target: 'active' }, 'active'],
    ['active', { target: 'rebuild' }, 'active'],
    ['error', { target: 'rebuild' }, 'active'],
    ['active', { target: 'deleted' }, 'available'],
    ['deploy failed', { target: 'undeploy' }, 'available'],
    ['active', { target: 'rescue', rescue_password: 'p' }, 'rescue'],
    ['rescue', { target: 'unrescue' }, 'active'],
    ['active', { target: 'service', service_steps: [RAID] }, 'active'],
    ['service failed', { target: 'abort' }, 'active'],
  ] as const)('%s, %j: %s', async (state, body, reached) => {
    const node = harness.inventory.put(aNode({ provision_state: state, last_error: 'an old one' }));
    expect(await harness.done(node, body as ProvisionBody)).toMatchObject({
      ...AT_REST,
      provision_state: reached,
    });
    expect(harness.inventory.node(node.uuid).driver_internal_info).toEqual({});
  });

  it('is persisted under the lock before it is acknowledged', async () => {
    const node = harness.inventory.put(
      aNode({ driver_info: { fake_delay_ms: 50 }, last_error: 'an old one' }),
    );
    await harness.provision(node, { target: 'active' });
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: HOST,
      provision_state: 'deploying',
      target_provision_state: 'active',
      provision_updated_at: expect.stringMatching(/^2\d{3}-.*\+00:00$/u),
      last_error: null,
      driver_internal_info: { pending_provision: { event: 'deploy', steps: [], steps_done: 0 } },
    });
    expect(await harness.completed(node)).toMatchObject({ ...AT_REST, provision_state: 'active' });
    expect(harness.outcomes).toEqual(['fake-hardware done']);
  });

  it('switches a deployed machine on, and a torn-down one off', async () => {
    const node = harness.inventory.put(aNode());
    expect(await harness.done(node, { target: 'active' })).toMatchObject({
      power_state: 'power on',
    });
    expect(await harness.done(node, { target: 'deleted' })).toMatchObject({
      power_state: 'power off',
    });
  });

  it('learns the power of a node that it begins to manage', async () => {
    const node = harness.inventory.put(aNode({ provision_state: 'enroll', power_state: null }));
    expect(await harness.done(node, { target: 'manage' })).toMatchObject({
      power_state: 'power off',
    });
  });

  it('fails into the failed state with the reason', async () => {
    const failing = (what: string, state: string): NodeRecord =>
      harness.inventory.put(aNode({ driver_info: { fake_failure: what }, provision_state: state }));
    const because = 'Error: the simulated hardware failed, as fake_failure asks.';
    expect(await harness.done(failing('verify', 'enroll'), { target: 'manage' })).toMatchObject({
      provision_state: 'enroll',
      target_provision_state: null,
      reservation: null,
      last_error: `Failed to verify the power credentials. ${because}`,
    });
    expect(await harness.done(failing('deploy', 'available'), { target: 'active' })).toMatchObject({
      provision_state: 'deploy failed',
      target_provision_state: 'active',
      reservation: null,
      last_error: `Failed to deploy. ${because}`,
    });
    expect(await harness.done(failing('undeploy', 'active'), { target: 'deleted' })).toMatchObject({
      provision_state: 'error',
      reservation: null,
    });
    expect(await harness.done(failing('clean', 'manageable'), { target: 'provide' })).toMatchObject(
      {
        provision_state: 'clean failed',
        target_provision_state: 'available',
        maintenance: true,
        fault: 'clean failure',
        reservation: null,
      },
    );
  });

  it('does not clean what its owner wants not cleaned', async () => {
    const node = harness.inventory.put(
      aNode({
        provision_state: 'manageable',
        automated_clean: false,
        driver_info: { fake_failure: 'clean' },
      }),
    );
    expect(await harness.done(node, { target: 'provide' })).toMatchObject({
      ...AT_REST,
      provision_state: 'available',
    });
  });

  it('does not offer a retired machine again', async () => {
    const node = harness.inventory.put(aNode({ provision_state: 'active', retired: true }));
    expect(await harness.done(node, { target: 'deleted' })).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
    });
  });

  it('keeps a rescue password nowhere', async () => {
    const node = harness.inventory.put(aNode({ provision_state: 'active' }));
    await harness.done(node, { target: 'rescue', rescue_password: 'very-secret' });
    expect(JSON.stringify(harness.inventory.writes) + harness.lines.join('')).not.toContain(
      'very-secret',
    );
  });
});

describe('a hold step', () => {
  const steps = [RAID, { step: 'hold' }, { interface: 'bios', step: 'factory_reset' }] as const;

  it('releases the node until it is resumed', async () => {
    const node = harness.inventory.put(aNode({ provision_state: 'manageable' }));
    const onHold = await harness.done(node, { target: 'clean', clean_steps: [...steps] });
    expect(onHold).toMatchObject({
      provision_state: 'clean hold',
      target_provision_state: 'manageable',
      reservation: null,
      driver_internal_info: { pending_provision: { steps_done: 2 } },
    });
    expect(await harness.done(onHold, { target: 'unhold' })).toMatchObject({
      ...AT_REST,
      provision_state: 'manageable',
      driver_internal_info: {},
    });
  });

  it('can be aborted', async () => {
    const node = harness.inventory.put(aNode({ provision_state: 'active' }));
    const onHold = await harness.done(node, { target: 'service', service_steps: [...steps] });
    expect(onHold.provision_state).toBe('service hold');
    expect(await harness.done(onHold, { target: 'abort' })).toMatchObject({
      provision_state: 'service failed',
      target_provision_state: 'active',
      driver_internal_info: {},
      reservation: null,
    });
  });
});

describe('obligations', () => {
  it('go with every write to the inventory', async () => {
    const node = harness.inventory.put(aNode());
    const obligations = {
      ...NO_OBLIGATIONS,
      fields: { masked: ['reservation'], read_only: [] },
    };
    const context = { ...aboutNode(newCallContext('baremetal:x'), node), obligations };
    const order = plainOrder('active');
    await harness.conductor.provision.accept(
      { ...context, obligations: { ...obligations, filter: { mode: 'none', predicates: [] } } },
      node.uuid,
      order,
    );
    await harness.completed(node);
    expect(new Set(harness.inventory.writes.map(({ context: one }) => one.action))).toEqual(
      new Set(['baremetal:x']),
    );
    for (const write of harness.inventory.writes)
      expect(write.context.obligations.fields.masked).toEqual(['reservation']);
  });
});
