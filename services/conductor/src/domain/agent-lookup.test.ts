import { describe, expect, it } from '@jest/globals';
import { aNode } from '@tenure/testing';
import { lookupView } from './agent-lookup.js';

describe('what a lookup shows of a node', () => {
  it('is its uuid, and what the agent reads of disk and boot mode', () => {
    const node = aNode({
      properties: {
        root_device: { wwn: '0x5000' },
        capabilities: 'boot_mode:uefi,profile:gold,disk_label:gpt',
        cpus: 48,
        secret_location: 'rack 7',
      },
      instance_info: {
        root_device: { name: '/dev/sda' },
        deploy_boot_mode: 'bios',
        image_source: 'http://images.example/a.img',
        configdrive: 'AAAA',
        user_data: 'hunter2',
        project_id: 'project-a',
      },
      driver_internal_info: {
        deploy_boot_mode: 'uefi',
        agent_secret_token: 'secret',
        agent_url: 'https://192.0.2.7:9999',
        clean_steps: [{ step: 'erase_devices' }],
      },
    });
    expect(lookupView(node)).toEqual({
      uuid: node.uuid,
      properties: {
        root_device: { wwn: '0x5000' },
        capabilities: { boot_mode: 'uefi', disk_label: 'gpt' },
      },
      instance_info: { root_device: { name: '/dev/sda' }, deploy_boot_mode: 'bios' },
      driver_internal_info: { deploy_boot_mode: 'uefi' },
    });
  });

  it.each([
    ['{"secure_boot": "true", "trait": "x"}', { secure_boot: 'true' }],
    [{ boot_mode: 'uefi', trait: 'x' }, { boot_mode: 'uefi' }],
    ['boot_mode', {}],
    [7, {}],
    [null, {}],
    ['[1]', {}],
  ])('reads capabilities as %j', (capabilities, expected) => {
    const { instance_info: visible } = lookupView(aNode({ instance_info: { capabilities } }));
    expect(visible).toEqual({ capabilities: expected });
  });
});
