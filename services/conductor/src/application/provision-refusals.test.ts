import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { aNode } from '@tenure/testing';
import { AT_REST, ConductorHarness, type ProvisionBody } from '../testing/conductor-harness.js';

let harness: ConductorHarness;

beforeEach(() => {
  harness = new ConductorHarness();
});

afterEach(async () => {
  await harness.close();
});

const accept = (node: NodeRecord, body: ProvisionBody): Promise<void> =>
  harness.provision(node, body);

const RAID = { interface: 'raid', step: 'create_configuration' } as const;

describe('what is refused changes nothing', () => {
  const refusal = async (fields: Partial<NodeRecord>, body: ProvisionBody): Promise<unknown> => {
    const node = harness.inventory.put(aNode(fields));
    let thrown: unknown;
    await accept(node, body).catch((error: unknown) => {
      thrown = error;
    });
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      provision_state: node.provision_state,
      last_error: node.last_error,
      reservation: node.reservation,
      driver_internal_info: node.driver_internal_info,
    });
    return thrown;
  };

  it.each([
    ['available', 'rebuild'],
    ['available', 'bogus'],
    ['active', 'active'],
    ['enroll', 'provide'],
    ['deploying', 'deleted'],
  ])('in %s: %s', async (state, target) => {
    const error = await refusal({ provision_state: state }, { target });
    expect(error).toMatchObject({
      status: 400,
      message: expect.stringMatching(
        new RegExp(
          `^The requested action "${target}" can not be performed on node "[0-9a-f-]{36}" while it is in state "${state}"\\.$`,
          'u',
        ),
      ),
    });
    expect(harness.inventory.writes).toEqual([]);
  });

  it.each([
    ['available', { target: 'active' }, 'provisioning'],
    ['active', { target: 'rebuild' }, 'provisioning'],
    ['manageable', { target: 'clean', clean_steps: [RAID] }, 'cleaning'],
    ['active', { target: 'rescue', rescue_password: 'p' }, 'rescuing'],
  ] as const)('in maintenance, %s: %j', async (state, body, operation) => {
    const error = await refusal(
      { provision_state: state, maintenance: true },
      body as ProvisionBody,
    );
    expect(error).toMatchObject({
      status: 400,
      message: expect.stringMatching(
        new RegExp(
          `^The ${operation} operation can't be performed on node [0-9a-f-]{36} because it's in maintenance mode\\.$`,
          'u',
        ),
      ),
    });
  });

  it('but a node in maintenance can be managed, provided and torn down', async () => {
    const maintained = (state: string): NodeRecord =>
      harness.inventory.put(aNode({ provision_state: state, maintenance: true }));
    expect(await harness.done(maintained('enroll'), { target: 'manage' })).toMatchObject(AT_REST);
    expect(await harness.done(maintained('manageable'), { target: 'provide' })).toMatchObject(
      AT_REST,
    );
    expect(await harness.done(maintained('active'), { target: 'deleted' })).toMatchObject(AT_REST);
  });

  it.each([
    ['active', 'deleted'],
    ['active', 'rebuild'],
    ['error', 'deleted'],
  ])('when protected, in %s: %s', async (state, target) => {
    const error = await refusal({ provision_state: state, protected: true }, { target });
    expect(error).toMatchObject({
      status: 403,
      message: expect.stringMatching(
        /^Node [0-9a-f-]{36} is protected and can not be undeployed, rebuilt or deleted$/u,
      ),
    });
  });

  it('when retired, to be provided', async () => {
    const error = await refusal(
      { provision_state: 'manageable', retired: true },
      { target: 'provide' },
    );
    expect(error).toMatchObject({ status: 403 });
  });

  it('when locked, whatever else is wrong', async () => {
    for (const target of ['active', 'rebuild', 'bogus'])
      expect(await refusal({ reservation: 'other' }, { target })).toMatchObject({
        status: 409,
        code: 'node_locked',
      });
  });

  it('when the settings of the driver are wrong', async () => {
    const error = await refusal({ driver_info: { fake_delay_ms: 'soon' } }, { target: 'active' });
    expect(error).toMatchObject({ status: 400, code: 'driver_settings' });
  });

  it('when the driver cannot do it', async () => {
    const rescue = await refusal(
      { driver: 'redfish', provision_state: 'active' },
      { target: 'rescue', rescue_password: 'p' },
    );
    expect(rescue).toMatchObject({
      status: 400,
      message: 'Driver redfish does not support rescue (disabled or not implemented).',
    });
  });

  it('when it was decided on another tenancy', async () => {
    const node = harness.inventory.put(aNode());
    harness.inventory.put({ ...node, tenancy_revision: 2 });
    await expect(accept(node, { target: 'active' })).rejects.toMatchObject({
      status: 412,
      code: 'tenancy_changed',
    });
  });

  it('when the state changed before the lock was taken', async () => {
    const node = harness.inventory.put(aNode());
    harness.inventory.beforeReserve = () => {
      harness.inventory.put({ ...harness.inventory.node(node.uuid), provision_state: 'active' });
    };
    await expect(accept(node, { target: 'active' })).rejects.toMatchObject({ status: 400 });
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      provision_state: 'active',
      reservation: null,
    });
  });
});
