import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { AT_REST, ConductorHarness, HOST } from '../testing/conductor-harness.js';
import { aRedfishNode } from '../testing/nodes.js';
import { type StubAgent } from '../testing/stub-agent.js';
import { type StubBmc } from '../testing/stub-bmc.js';

const ISO = 'http://images.example/agent.iso';
const IMAGE = {
  image_source: 'http://images.example/os.img',
  image_os_hash_algo: 'sha256',
  image_os_hash_value: 'ab12',
};

jest.setTimeout(60_000);

let harness: ConductorHarness;
let bmc: StubBmc;
let agent: StubAgent;

beforeEach(async () => {
  harness = new ConductorHarness();
  bmc = await harness.openBmc();
  agent = await harness.openAgent();
});

afterEach(async () => {
  await harness.close();
});

function aDirectNode(fields: Partial<NodeRecord> = {}): NodeRecord {
  const node = aRedfishNode(
    bmc,
    { deploy_iso: ISO },
    { deploy_interface: 'direct', boot_mode: 'uefi', instance_info: IMAGE, ...fields },
  );
  harness.parts.put('ports', node.uuid, { address: '52:54:00:00:00:12' });
  return harness.inventory.put(node);
}

const stored = (node: NodeRecord): NodeRecord => harness.inventory.node(node.uuid);

/** A conductor after a restart, over the record that the last one wrote. */
async function crash(): Promise<void> {
  harness = await harness.restarted();
}

describe('a direct deployment', () => {
  it('boots the agent, has it write the image, and starts the machine from its disk', async () => {
    const node = aDirectNode();
    expect(await harness.done(node, { target: 'active' })).toMatchObject({
      provision_state: 'wait call-back',
      target_provision_state: 'active',
      power_state: 'power on',
      reservation: null,
      last_error: null,
      deploy_step: { interface: 'deploy', step: 'deploy' },
    });
    // Not the image itself, but a medium that is made of it for this boot.
    expect(harness.parts.media.fetched).toEqual([ISO]);
    expect([...harness.parts.media.secrets.keys()]).toEqual([bmc.machine.drives['Cd']?.image]);
    expect(bmc.boot).toEqual({ target: 'Cd', enabled: 'Once' });

    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'wait call-back',
      reservation: null,
      deploy_step: { step: 'write_image' },
    });
    expect(agent.given).toEqual(['standby.prepare_image']);
    expect(agent.command('standby.prepare_image').params).toEqual({
      image_info: {
        id: 'os.img',
        urls: ['http://images.example/os.img'],
        os_hash_algo: 'sha256',
        os_hash_value: 'ab12',
        stream_raw_images: true,
        node_uuid: node.uuid,
        image_type: 'whole-disk',
      },
    });

    // Still at it.
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'wait call-back' });
    agent.end();
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'wait call-back',
      deploy_step: { step: 'prepare_instance_boot' },
    });
    agent.end();
    expect(await harness.beat(node, agent)).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
      power_state: 'power on',
      deploy_step: {},
    });
    expect(agent.given).toEqual([
      'standby.prepare_image',
      'image.install_bootloader',
      'standby.sync',
    ]);
    expect(bmc.resets).toEqual(['On', 'GracefulShutdown', 'On']);
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
    expect(bmc.boot).toEqual({ target: 'Hdd', enabled: 'Continuous' });
    expect(agent.tokens.size).toBe(1);
    expect(stored(node).driver_internal_info).not.toHaveProperty('agent_secret_token');
    expect(stored(node).driver_internal_info).not.toHaveProperty('pending_provision');
  });

  it('has the agent’s own steps, by priority', async () => {
    agent.isQuick = true;
    agent.steps = {
      deploy: {
        Manager: [
          { interface: 'deploy', step: 'burnin', priority: 90, reboot_requested: false },
          {
            interface: 'raid',
            step: 'apply',
            priority: 0,
            argsinfo: { disks: { required: true } },
          },
        ],
      },
    };
    const node = aDirectNode();
    await harness.done(node, {
      target: 'active',
      deploy_steps: [{ interface: 'raid', step: 'apply', priority: 70, args: { disks: 2 } }],
    });
    expect(await harness.beat(node, agent)).toMatchObject({
      ...AT_REST,
      provision_state: 'active',
    });
    expect(agent.given).toEqual([
      'deploy.execute_deploy_step',
      'standby.prepare_image',
      'deploy.execute_deploy_step',
      'image.install_bootloader',
      'standby.sync',
    ]);
    expect(agent.command('deploy.execute_deploy_step').params).toMatchObject({
      step: { interface: 'raid', step: 'apply', args: { disks: 2 } },
      node: { uuid: node.uuid },
      ports: [{ address: '52:54:00:00:00:12' }],
      deploy_version: { stub: '1' },
    });
    expect(stored(node).driver_internal_info).toMatchObject({
      agent_cached_deploy_steps: { Manager: [{ step: 'burnin' }, { step: 'apply' }] },
    });
  });

  it('of a step that neither the driver nor the agent has, fails', async () => {
    const node = aDirectNode();
    await harness.done(node, {
      target: 'active',
      deploy_steps: [{ interface: 'raid', step: 'apply', priority: 70 }],
    });
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'deploy failed',
      last_error: 'Failed to deploy. Error: node does not support this deploy step: raid.apply.',
      power_state: 'power off',
      reservation: null,
    });
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('asks for the partitions of a partition image, and passes the config drive on', async () => {
    agent.isQuick = true;
    agent.partitions = { 'root uuid': 'r-1', 'efi system partition uuid': 'e-1' };
    const node = aDirectNode({
      instance_info: { ...IMAGE, image_type: 'partition', root_gb: 10, configdrive: 'AAAA' },
    });
    await harness.done(node, { target: 'active' });
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'active' });
    expect(agent.command('standby.prepare_image').params).toMatchObject({
      image_info: { image_type: 'partition', root_mb: 10_240, deploy_boot_mode: 'uefi' },
      configdrive: 'AAAA',
    });
    expect(agent.command('image.install_bootloader').params).toEqual({
      root_uuid: 'r-1',
      efi_system_part_uuid: 'e-1',
      prep_boot_part_uuid: null,
      target_boot_mode: 'uefi',
      ignore_bootloader_failure: false,
    });
  });

  it.each([
    [
      { instance_info: {} },
      /failed to validate deploy image info\. Some parameters were missing\. Missing are: \['instance_info\.image_source'\]/u,
    ],
    [
      { instance_info: { image_source: 'http://images.example/os.img' } },
      /image_source's "image_checksum", or "image_os_hash_algo" and "image_os_hash_value" must be provided/u,
    ],
    [
      { instance_info: { image_source: 'file:///etc/passwd', image_checksum: 'x' } },
      /image_source must be an http or https address/u,
    ],
    [{ driver_info: {} }, /Missing are: \['driver_info\.deploy_iso'\]/u],
  ])('is refused for %j', async (fields, sentence) => {
    const node = aDirectNode();
    const info = { ...node.driver_info };
    delete (info as Record<string, unknown>)['deploy_iso'];
    const wrong = 'driver_info' in fields ? { driver_info: info } : fields;
    harness.inventory.put({ ...node, ...wrong });
    await expect(harness.provision(node, { target: 'active' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(sentence),
    });
    expect(stored(node)).toMatchObject({ provision_state: 'available', reservation: null });
    expect(bmc.requests).toEqual([]);
  });
});

describe('when the agent fails', () => {
  const begun = async (): Promise<NodeRecord> => {
    const node = aDirectNode();
    await harness.done(node, { target: 'active' });
    return node;
  };

  it('to write the image, the deployment fails with its error text, and the machine is switched off', async () => {
    const node = await begun();
    await harness.beat(node, agent);
    agent.end('FAILED', {
      type: 'ImageDownloadError',
      code: 500,
      message: 'Image download failed',
      details: 'no http://me:pw@images.example/os.img?sig=1\u001B\n',
    });
    const after = await harness.beat(node, agent);
    expect(after).toMatchObject({
      provision_state: 'deploy failed',
      target_provision_state: 'active',
      reservation: null,
      power_state: 'power off',
    });
    expect(after.last_error).toBe(
      'Failed to deploy. Error: step deploy.write_image failed: the agent failed to do prepare_image: Image download failed: no http://images.example/os.img.',
    );
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('to answer a command that it took, it is found in its list, and not given twice', async () => {
    const node = await begun();
    agent.faults.breaksOn = 'standby.prepare_image';
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'wait call-back' });
    expect(agent.given).toEqual(['standby.prepare_image']);
    agent.isQuick = true;
    agent.end();
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'active' });
    expect(agent.given).toEqual([
      'standby.prepare_image',
      'image.install_bootloader',
      'standby.sync',
    ]);
  });

  it('to take a command, the deployment fails, and it is not given again', async () => {
    const node = await begun();
    agent.faults.losesOn = 'standby.prepare_image';
    const after = await harness.beat(node, agent);
    expect(after).toMatchObject({ provision_state: 'deploy failed', reservation: null });
    expect(after.last_error).toMatch(/the command prepare_image was sent, but/u);
    expect(agent.given).toEqual([]);
  });

  it('to answer at all, the node waits on, and what it was given is not lost', async () => {
    const node = await begun();
    await harness.beat(node, agent);
    const since = stored(node).provision_updated_at;
    agent.faults.hang = true;
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'wait call-back',
      provision_updated_at: since,
      reservation: null,
    });
    agent.faults.hang = false;
    agent.isQuick = true;
    agent.end();
    expect(await harness.beat(node, agent)).toMatchObject({ provision_state: 'active' });
  });

  it('to know what it was given, the deployment fails', async () => {
    const node = await begun();
    await harness.beat(node, agent);
    agent.commands.splice(0);
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'deploy failed',
      last_error:
        'Failed to deploy. Error: step deploy.write_image failed: the agent answered 404.',
    });
  });

  it('to list its steps as it should, the deployment fails', async () => {
    const node = await begun();
    agent.steps = { deploy: { Manager: [{ step: 7 }] } };
    expect(await harness.beat(node, agent)).toMatchObject({
      provision_state: 'deploy failed',
      last_error: 'Failed to deploy. Error: the agent did not list its steps as it should.',
    });
  });
});

describe('a conductor that dies', () => {
  const finish = async (node: NodeRecord): Promise<NodeRecord> => {
    let after = stored(node);
    for (let beats = 0; beats < 8 && after.provision_state === 'wait call-back'; beats += 1) {
      agent.end();
      after = await harness.beat(node, agent);
    }
    return after;
  };

  it('after any one of its writes leaves a deployment that ends, and nothing was given twice', async () => {
    const node = aDirectNode();
    const ends: string[] = [];
    for (let point = 1; ; point += 1) {
      agent.commands.splice(0);
      harness.inventory.put({ ...node, fence: stored(node).fence });
      const reached = harness.inventory.dieAfter(point, HOST);
      await harness
        .done(node, { target: 'active' })
        .then(finish)
        .catch(() => undefined);
      await harness.idle();
      const hasDied = reached();
      harness.inventory.revive();
      await crash();
      if (!hasDied) break;
      await harness.conductor.heartbeat.beat();
      await harness.completed(node);
      const after = await finish(node);
      expect({ point, reservation: after.reservation }).toEqual({ point, reservation: null });
      ends.push(after.provision_state);
      for (const name of ['standby.prepare_image', 'image.install_bootloader'])
        expect(agent.given.filter((one) => one === name).length).toBeLessThanOrEqual(1);
    }
    expect(ends.length).toBeGreaterThan(10);
    expect(new Set(ends)).toEqual(new Set(['active', 'available']));
  }, 120_000);
});
