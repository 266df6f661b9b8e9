import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_OBLIGATIONS, type NodeRecord } from '@tenure/contracts';
import { aNode, faultOf } from '@tenure/testing';
import { ConductorHarness } from './testing/conductor-harness.js';
import { SignedCalls } from './testing/signed-calls.js';

let harness: ConductorHarness;
let gateway: SignedCalls;

beforeEach(() => {
  harness = new ConductorHarness();
  gateway = new SignedCalls(harness);
});

afterEach(async () => {
  await harness.close();
});

const put = (fields: Partial<NodeRecord>): NodeRecord => harness.inventory.put(aNode(fields));

const VERBS = [
  ['put', 'states/power', { target: 'power on' }],
  ['put', 'states/provision', { target: 'active' }],
  ['put', 'states/console', { enabled: true }],
  ['put', 'management/boot_device', { boot_device: 'disk' }],
  ['get', 'management/boot_device', undefined],
  ['put', 'maintenance', { reason: 'repair' }],
  ['get', 'validate', undefined],
  ['get', 'vifs', undefined],
  ['post', 'vifs', { id: 'vif-1' }],
  ['delete', 'vifs/vif-1', undefined],
  ['post', 'vmedia', { device_type: 'cdrom', image_url: 'http://image.example/a.iso' }],
  ['get', 'vendor_passthru/methods', undefined],
] as const;

describe('a node that no live conductor serves', () => {
  it.each(VERBS)('answers %s %s with 503, and is left as it was', async (method, at, body) => {
    const node = put({ driver: 'ipmi', conductor_group: 'rack' });
    const response = await gateway.call(method, `/v1/nodes/${node.uuid}/${at}`, node, { body });
    expect(response.status).toBe(503);
    expect(faultOf(response)).toBe(
      'No valid host was found. Reason: No conductor service registered which supports driver ipmi for conductor group "rack".',
    );
    expect(harness.inventory.node(node.uuid)).toMatchObject({
      reservation: null,
      provision_state: 'available',
      target_power_state: null,
      maintenance: false,
    });
  });

  it('does not reveal masked fields to the caller', async () => {
    const node = put({ driver: 'ipmi', conductor_group: 'rack' });
    const response = await gateway.call('put', `/v1/nodes/${node.uuid}/states/power`, node, {
      body: { target: 'power on' },
      obligations: {
        ...NO_OBLIGATIONS,
        fields: { masked: ['conductor_group', 'driver'], read_only: [] },
      },
    });
    expect(faultOf(response)).toBe(
      'No valid host was found. Reason: No conductor service registered which supports the driver of the node.',
    );
  });
});
