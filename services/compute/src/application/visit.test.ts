import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type NewServer, type ServerRecord } from '@tenure/contracts';
import { building, NOW, OTHER_UUID, server, task, UUID } from '../testing/servers.js';
import { fakeNode, World } from '../testing/world.js';
import { type Visit, visit, type VisitDeps } from './visit.js';

const LIMITS = { build: 5000, remove: 5000, power: 300, shutdown: 10 };

let world: World;
let now: Date;
let ends: string[];

beforeEach(() => {
  world = new World([fakeNode('node-1'), fakeNode('node-2')]);
  now = NOW;
  ends = [];
});

const depsOf = (holder: string): VisitDeps => ({
  store: world.store,
  allocations: world.allocator,
  nodes: world.verbs,
  limits: LIMITS,
  holder,
  now: () => now,
  onEnd: (kind, failed) => {
    ends.push(`${kind} ${failed ? 'failed' : 'done'}`);
  },
});

const look = (uuid = UUID, holder = 'replica-1'): Promise<Visit> =>
  visit(depsOf(holder), uuid, 'req-1');

function later(seconds: number): void {
  now = new Date(now.getTime() + seconds * 1000);
}

/** Visits a server for so many seconds, in which nothing that is under way ends. */
async function workOn(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 50) {
    later(Math.min(50, seconds - passed));
    await look().catch(() => undefined);
  }
}

/** Visits until the task is done; what is under way ends between two visits. */
async function finish({
  uuid = UUID,
  failing = [],
  holders = ['replica-1'],
}: {
  readonly uuid?: string;
  readonly failing?: readonly string[];
  readonly holders?: readonly string[];
} = {}): Promise<ServerRecord | undefined> {
  for (let round = 0; round < 60; round += 1) {
    const holder = holders[round % holders.length] ?? 'replica-1';
    const seen = await look(uuid, holder).catch(() => 'later' as const);
    if (seen === 'done') return world.servers.get(uuid);
    if (seen === 'elsewhere') later(61);
    if (seen === 'later') world.finishAll(failing);
  }
  throw new Error(`not done: ${JSON.stringify(world.servers.get(uuid))}`);
}

/** An active server on its node, with a task. */
function running(values: Partial<NewServer>): ServerRecord {
  Object.assign(world.nodes[0] ?? {}, {
    instance: UUID,
    allocation: UUID,
    provision_state: 'active',
    power_state: 'power on',
  });
  world.allocations.set(UUID, 'active');
  return world.add(server(values));
}

describe('a server that is built', () => {
  it('gets a node, its VIFs and its image, and is active', async () => {
    world.add(building({ vifs: ['vif-a', 'vif-b'], key_name: 'k', public_key: 'ssh-rsa AAAA' }));
    expect(await finish()).toMatchObject({
      vm_state: 'active',
      status: 'ACTIVE',
      task_state: null,
      task: null,
      power_state: 1,
      node_uuid: 'node-1',
      fault: null,
      launched_at: '2026-11-21T08:00:00+00:00',
    });
    expect(world.orders).toEqual(['allocate', 'attach vif-a', 'attach vif-b', 'active']);
    expect(world.nodes[0]).toMatchObject({
      info: { image_source: 'http://images.example/a.iso', project_id: 'team', user_id: 'ann' },
      drive: { meta_data: { uuid: UUID, name: 'web', public_keys: { k: 'ssh-rsa AAAA' } } },
    });
    expect(ends).toEqual(['build done']);
  });

  it('boots its image where the node runs from it', async () => {
    for (const node of world.nodes) node.deploy_interface = 'ramdisk';
    world.add(building());
    await finish();
    expect(world.nodes[0]?.info).toMatchObject({ boot_iso: 'http://images.example/a.iso' });
  });

  it('is in error with Nova’s message when there is no node, and leaves no allocation behind', async () => {
    world.nodes.splice(0);
    world.add(building());
    expect(await finish()).toMatchObject({
      vm_state: 'error',
      status: 'ERROR',
      task: null,
      fault: { code: 500, message: 'No valid host was found.' },
    });
    expect(world.allocations.size).toBe(0);
  });

  it('is in error with the reason when its allocation is refused permanently', async () => {
    const message = 'Quota exceeded for allocations: at most 0 may be stored.';
    world.refusals.set('allocate', new AppError('quota_exceeded', 403, message));
    world.add(building());
    expect(await finish()).toMatchObject({
      vm_state: 'error',
      task: null,
      fault: { message: `Failed to provision instance ${UUID}: ${message}` },
    });
    expect(world.allocations.size).toBe(0);
  });

  it('is in error when its deployment fails, and the node is given back', async () => {
    world.add(building({ vifs: ['vif-a'] }));
    expect(await finish({ failing: ['deploying'] })).toMatchObject({
      status: 'ERROR',
      node_uuid: null,
      fault: {
        message: `Failed to provision instance ${UUID}: the deployment of its node failed.`,
      },
    });
    expect(world.orders).toEqual(['allocate', 'attach vif-a', 'active', 'detach vif-a', 'deleted']);
    expect(world.nodes[0]).toMatchObject({ provision_state: 'available', instance: null });
    expect(ends).toEqual(['build failed']);
  });

  it('is in error when a conductor refuses it, and says why', async () => {
    world.refusals.set('active', new AppError('refused', 400, 'the image is missing.'));
    world.add(building());
    expect(await finish()).toMatchObject({
      status: 'ERROR',
      fault: { message: `Failed to provision instance ${UUID}: the image is missing.` },
    });
    expect(world.nodes[0]).toMatchObject({ instance: null, allocation: null });
  });

  it('is in error when it takes too long, for any reason', async () => {
    world.add(building());
    await look();
    await workOn(5001);
    expect(await finish()).toMatchObject({
      status: 'ERROR',
      fault: { message: `Build of instance ${UUID} took too long.` },
    });
    expect(world.allocations.size).toBe(0);
  });

  it.each([31 * 60, 86_400, -31 * 60, -86_400])(
    'is not late because the clock was set by %s s, and is active in the end',
    async (seconds) => {
      world.add(building());
      await look();
      later(seconds);
      expect(await finish()).toMatchObject({ status: 'ACTIVE', fault: null });
    },
  );

  it('is late after its time of work, whatever the clock did meanwhile', async () => {
    world.add(building());
    await look();
    await workOn(2500);
    later(-31 * 60);
    await workOn(2400);
    expect(world.server(UUID).task).toMatchObject({ failure: null });
    later(31 * 60);
    await workOn(200);
    expect(await finish()).toMatchObject({
      status: 'ERROR',
      fault: { message: `Build of instance ${UUID} took too long.` },
    });
  });

  it('waits for a locked node', async () => {
    world.add(building());
    await look();
    world.finishAll();
    const [node] = world.nodes;
    if (node !== undefined) node.reserved = true;
    expect([await look(), await look()]).toEqual(['again', 'later']);
    expect(world.orders).toEqual(['allocate']);
    expect(await finish()).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('a crash', () => {
  const expected = ['allocate', 'attach vif-a', 'active'];

  it.each(Array.from({ length: 24 }, (_, index) => index))(
    'whose call %i is lost changes nothing of how a build ends',
    async (lost) => {
      let calls = 0;
      world.before = () => {
        if (calls === lost) world.lost = 1;
        calls += 1;
      };
      world.add(building({ vifs: ['vif-a'] }));
      expect(await finish({ holders: ['replica-1', 'replica-2'] })).toMatchObject({
        status: 'ACTIVE',
        node_uuid: 'node-1',
      });
      expect(world.orders).toEqual(expected);
    },
  );

  it.each(Array.from({ length: 20 }, (_, index) => index))(
    'whose call %i is lost changes nothing of how a server ends',
    async (lost) => {
      let calls = 0;
      world.before = () => {
        if (calls === lost) world.lost = 1;
        calls += 1;
      };
      running({ task_state: 'deleting', task: task({ kind: 'delete' }) });
      world.nodes[0]?.vifs.push('vif-a');
      expect(await finish({ holders: ['replica-1', 'replica-2'] })).toBeUndefined();
      expect(world.orders).toEqual(['detach vif-a', 'deleted']);
      expect(world.allocations.size).toBe(0);
    },
  );

  it('between the order of a rebuild and the note of it does not rebuild twice', async () => {
    running({ task_state: 'rebuilding', task: task({ kind: 'rebuild' }) });
    await look();
    world.before = (name) => {
      if (name === 'rebuild') world.lost = 1;
    };
    await expect(look()).rejects.toThrow('the answer is lost');
    world.before = () => undefined;
    world.finishAll();
    later(61);
    expect(await finish({ holders: ['replica-2'] })).toMatchObject({ status: 'ACTIVE' });
    expect(world.orders).toEqual(['rebuild']);
  });
});

describe('two replicas', () => {
  it('do not work on one server at once', async () => {
    world.add(building());
    expect(await look(UUID, 'replica-1')).toBe('later');
    expect(await look(UUID, 'replica-2')).toBe('elsewhere');
    expect(world.orders).toEqual(['allocate']);
  });

  it('take over tasks whose lock has expired', async () => {
    world.add(building());
    await look(UUID, 'replica-1');
    later(59);
    expect(await look(UUID, 'replica-2')).toBe('elsewhere');
    later(2);
    expect(await look(UUID, 'replica-2')).toBe('later');
    expect(world.server(UUID).task).toMatchObject({ holder: 'replica-2' });
  });

  it('let one win when both begin at the same moment', async () => {
    world.add(building());
    const outcomes = await Promise.allSettled([look(UUID, 'a'), look(UUID, 'b')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(world.orders).toEqual(['allocate']);
  });

  it('are one after a restart under the same name', async () => {
    world.add(building());
    await look(UUID, 'replica-1');
    expect(await look(UUID, 'replica-1')).toBe('later');
  });
});

describe('a server that is deleted', () => {
  it('while it is being built waits for the step that is under way, and leaves nothing', async () => {
    world.add(building());
    await look();
    const pending = world.server(UUID).task;
    const { holder = null, held_until = null } = pending ?? {};
    world.servers.set(UUID, {
      ...world.server(UUID),
      task_state: 'deleting',
      task: task({ kind: 'delete', holder, held_until }),
      revision: 9,
    });
    expect(await look(UUID, 'replica-2')).toBe('elsewhere');
    expect(await finish()).toBeUndefined();
    expect(world.allocations.size).toBe(0);
    expect(world.nodes.every(({ instance }) => instance === null)).toBe(true);
  });

  it('always ends: in error when its node cannot be torn down, and it can be deleted again', async () => {
    running({ task_state: 'deleting', task: task({ kind: 'delete' }) });
    for (let round = 0; round < 110; round += 1) {
      await look().catch(() => undefined);
      world.finishAll(['deleting']);
      later(50);
    }
    expect(world.servers.get(UUID)).toMatchObject({
      status: 'ERROR',
      task: null,
      task_state: null,
      node_uuid: 'node-1',
      fault: { message: 'The server could not be deleted in time.' },
    });
  });

  it('without remaining resources is removed at once', async () => {
    world.add(server({ node_uuid: null, task_state: 'deleting', task: task({ kind: 'delete' }) }));
    expect(await look()).toBe('done');
    expect(world.servers.size).toBe(0);
  });

  it('leaves other servers alone', async () => {
    running({ task_state: 'deleting', task: task({ kind: 'delete' }) });
    world.add(server({ uuid: OTHER_UUID }));
    await finish();
    expect([...world.servers.keys()]).toEqual([OTHER_UUID]);
  });
});

describe('power', () => {
  it('is switched off softly first, and hard when the operating system does not answer', async () => {
    running({ task_state: 'powering-off', task: task({ kind: 'stop' }) });
    expect(await look()).toBe('again');
    // It did not shut down: the node is as it was.
    Object.assign(world.nodes[0] ?? {}, { target_power_state: null, reserved: false });
    expect(await finish()).toMatchObject({
      status: 'SHUTOFF',
      vm_state: 'stopped',
      power_state: 4,
    });
    expect(world.orders).toEqual(['soft power off', 'power off']);
  });

  it('is switched off hard at once where soft power off is not supported', async () => {
    world.refusals.set('soft power off', new AppError('refused', 400, 'not supported'));
    running({ task_state: 'powering-off', task: task({ kind: 'stop' }) });
    expect(await finish()).toMatchObject({ status: 'SHUTOFF' });
    expect(world.orders).toEqual(['power off']);
  });

  it('that does not change leaves the server as it was, with the reason', async () => {
    running({ vm_state: 'stopped', task_state: 'powering-on', task: task({ kind: 'start' }) });
    Object.assign(world.nodes[0] ?? {}, { power_state: 'power off' });
    expect(await finish({ failing: ['power on'] })).toMatchObject({
      status: 'SHUTOFF',
      vm_state: 'stopped',
      fault: { message: `Failed to start instance ${UUID}.` },
    });
  });

  it('comes back after a reboot, soft where it can be', async () => {
    const soft = { soft: true };
    running({ task_state: 'rebooting', task: task({ kind: 'reboot', arguments: soft }) });
    expect(await finish()).toMatchObject({ status: 'ACTIVE' });
    expect(world.orders).toEqual(['soft rebooting']);
  });

  it('is cut by a soft reboot that fails', async () => {
    const soft = { soft: true };
    running({ task_state: 'rebooting', task: task({ kind: 'reboot', arguments: soft }) });
    await look();
    world.finishAll(['power on']);
    expect(await finish()).toMatchObject({ status: 'ACTIVE' });
    expect(world.orders).toEqual(['soft rebooting', 'rebooting']);
  });

  it('times out', async () => {
    running({ task_state: 'powering-off', task: task({ kind: 'stop' }) });
    await look();
    await workOn(301);
    await look();
    expect(world.server(UUID)).toMatchObject({ status: 'ACTIVE', task: null });
  });
});

describe('a rebuild', () => {
  it('of a server that was off leaves it off', async () => {
    running({
      vm_state: 'stopped',
      task_state: 'rebuilding',
      task: task({ kind: 'rebuild', arguments: { stop_after: true } }),
    });
    expect(await finish()).toMatchObject({ status: 'SHUTOFF', vm_state: 'stopped' });
    expect(world.orders).toEqual(['rebuild', 'soft power off']);
  });

  it('that fails leaves the server in error, with its node', async () => {
    running({ task_state: 'rebuilding', task: task({ kind: 'rebuild' }) });
    expect(await finish({ failing: ['deploying'] })).toMatchObject({
      status: 'ERROR',
      node_uuid: 'node-1',
      fault: { message: `Failed to rebuild instance ${UUID}.` },
    });
  });
});

describe('a rescue', () => {
  it('leads to RESCUE, and back', async () => {
    const given = { admin_pass: 'word' };
    running({ task_state: 'rescuing', task: task({ kind: 'rescue', arguments: given }) });
    expect(await finish()).toMatchObject({ status: 'RESCUE', vm_state: 'rescued', task: null });
    world.servers.set(UUID, {
      ...world.server(UUID),
      task_state: 'unrescuing',
      task: task({ kind: 'unrescue' }),
    });
    expect(await finish()).toMatchObject({ status: 'ACTIVE' });
    expect(world.orders).toEqual(['rescue', 'unrescue']);
  });

  it('that the machine cannot do leaves the server as it was', async () => {
    world.refusals.set('rescue', new AppError('refused', 400, 'no rescue interface'));
    running({ task_state: 'rescuing', task: task({ kind: 'rescue' }) });
    expect(await finish()).toMatchObject({
      status: 'ACTIVE',
      fault: { message: `Failed to rescue instance ${UUID}: no rescue interface` },
    });
  });

  it('that fails half way leaves the server in error', async () => {
    running({ task_state: 'rescuing', task: task({ kind: 'rescue' }) });
    expect(await finish({ failing: ['rescuing'] })).toMatchObject({ status: 'ERROR' });
  });
});
