import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, nodeOf, stableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { inProject, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { isRunning, signal } from '../support/processes.js';
import { type Part, partPid, startTenure, type Tenure } from '../support/tenure.js';
import { eventually, sleep } from '../support/wait.js';

// The behaviour when a part is killed (down until `tenure up` has started it again) or frozen (its port accepts, and
// nothing comes back): the right answer or 502, 503, 504, within ten seconds, and never a yes to who may not.

const project = newProject('failure');
const member = inProject(project, 'member');
const reader = inProject(project, 'reader');
const stranger = inProject(newProject('stranger'), 'admin');
const mine = availableNode(`${project}-node`, { owner: project });
const patience = 10_000;

let tenure: Tenure;

beforeAll(async () => {
  tenure = await startTenure('failure');
  await tenure.importDocument({ nodes: [mine] });
});

afterAll(() => tenure.stop(), 60_000);

interface Probe {
  readonly label: string;
  readonly persona: Persona;
  readonly line: string;
  readonly body?: object;
  /** The answer of a Tenure in good health. */
  readonly healthy: number;
  /** The part that carries it out, where that is not the inventory. */
  readonly needs?: Part;
}

const probes: readonly Probe[] = [
  {
    label: 'its owner reads a node',
    persona: reader,
    line: `GET /v1/nodes/${mine.uuid}`,
    healthy: 200,
  },
  { label: 'its owner lists nodes', persona: reader, line: 'GET /v1/nodes', healthy: 200 },
  {
    label: 'a stranger reads a node',
    persona: stranger,
    line: `GET /v1/nodes/${mine.uuid}`,
    healthy: 404,
  },
  {
    label: 'a reader updates a node',
    persona: reader,
    line: `PATCH /v1/nodes/${mine.uuid}`,
    body: [{ op: 'add', path: '/extra/by', value: 'reader' }],
    healthy: 403,
  },
  {
    label: 'a member updates a node',
    persona: member,
    line: `PATCH /v1/nodes/${mine.uuid}`,
    body: [{ op: 'add', path: '/extra/by', value: 'member' }],
    healthy: 200,
  },
  {
    label: 'a stranger switches a node on',
    persona: stranger,
    line: `PUT /v1/nodes/${mine.uuid}/states/power`,
    body: { target: 'power on' },
    healthy: 404,
  },
  {
    label: 'a reader switches a node on',
    persona: reader,
    line: `PUT /v1/nodes/${mine.uuid}/states/power`,
    body: { target: 'power on' },
    healthy: 403,
  },
  {
    label: 'a member asks what power can do',
    persona: member,
    line: `GET /v1/nodes/${mine.uuid}/validate`,
    healthy: 200,
    needs: 'conductor',
  },
  {
    label: 'a member lists allocations',
    persona: member,
    line: 'GET /v1/allocations',
    healthy: 200,
    needs: 'allocation',
  },
  {
    label: 'a reader creates an allocation',
    persona: reader,
    line: 'POST /v1/allocations',
    body: { resource_class: 'none-of-it' },
    healthy: 403,
  },
  {
    label: 'a member creates an allocation',
    persona: member,
    line: 'POST /v1/allocations',
    body: { resource_class: 'none-of-it' },
    healthy: 201,
    needs: 'allocation',
  },
];

const fire = ({ persona, line, body }: Probe): Promise<Answer> =>
  ask(tenure, persona, line, { within: patience, ...(body === undefined ? {} : { body }) });

/** Every request needs these two; the others are missed by what they carry out, and by nothing else. */
const isHarmed = ({ needs }: Probe, lost: Part): boolean =>
  lost === 'pdp' || lost === 'inventory' || needs === lost;

/** Every probe at once while a part is lost; what is wrong with the answers, as sentences. */
async function complaints(lost: Part): Promise<readonly string[]> {
  const found = await Promise.all(
    probes.map(async (probe) => {
      const outcome = await fire(probe)
        .then(({ status }) => status)
        .catch((error: unknown) => String(error));
      const isGood =
        outcome === probe.healthy ||
        (isHarmed(probe, lost) && (outcome === 502 || outcome === 503 || outcome === 504));
      return isGood
        ? []
        : [`${probe.label}: ${String(outcome)} instead of ${String(probe.healthy)}`];
    }),
  );
  return found.flat();
}

async function untilHealthy(): Promise<void> {
  await eventually(
    async () => {
      const statuses = await Promise.all(probes.map(async (probe) => (await fire(probe)).status));
      return probes.flatMap((probe, index) =>
        statuses[index] === probe.healthy ? [] : [`${probe.label}: ${String(statuses[index])}`],
      );
    },
    (wrong) => wrong.length === 0,
    { within: 30_000, every: 250, what: 'good health' },
  );
}

const victims = ['pdp', 'inventory', 'conductor', 'allocation'] as const satisfies readonly Part[];

describe('a part that is down', () => {
  it.each(victims)(
    '%s killed: each answer is right or, where it needs the part, 502, 503, 504 within ten seconds, and all is well again',
    async (part) => {
      await untilHealthy();
      const before = await partPid(tenure, part);
      signal(before, 'SIGKILL');
      for (let round = 0; round < 4; round += 1) {
        expect(await complaints(part)).toEqual([]);
        await sleep(100);
      }
      expect(await partPid(tenure, part, before)).not.toBe(before);
      await untilHealthy();
    },
    120_000,
  );

  it('gateway killed: is started again, and the others have not been', async () => {
    const others = await Promise.all(victims.map((part) => partPid(tenure, part)));
    const before = await partPid(tenure, 'gateway');
    signal(before, 'SIGKILL');
    expect(await partPid(tenure, 'gateway', before)).not.toBe(before);
    await untilHealthy();
    expect(await Promise.all(victims.map((part) => partPid(tenure, part)))).toEqual(others);
  }, 90_000);
});

describe('a part that is frozen', () => {
  it.each(victims)(
    '%s frozen: each answer is right or, where it needs the part, 502, 503, 504 within ten seconds, and all is well after',
    async (part) => {
      await untilHealthy();
      const frozen = await partPid(tenure, part);
      signal(frozen, 'SIGSTOP');
      try {
        // Again while the first still wait: by then the others know that something is wrong.
        const later = sleep(2000).then(() => complaints(part));
        expect([await complaints(part), await later]).toEqual([[], []]);
      } finally {
        signal(frozen, 'SIGCONT');
      }
      await untilHealthy();
    },
    120_000,
  );
});

describe('what was acknowledged', () => {
  it('is there after the inventory was killed in the midst of writing', async () => {
    await untilHealthy();
    const acknowledged = new Map<string, string>();
    let stop = false;
    const writer = async (worker: number): Promise<void> => {
      for (let n = 0; !stop; n += 1) {
        const key = `w${String(worker)}n${String(n)}`;
        const answer = await ask(tenure, member, `PATCH /v1/nodes/${mine.uuid}`, {
          body: [{ op: 'add', path: `/extra/${key}`, value: String(n) }],
          within: patience,
        }).catch(() => null);
        if (answer?.status === 200) acknowledged.set(key, String(n));
      }
    };
    const creator = async (): Promise<void> => {
      for (let n = 0; !stop; n += 1) {
        const name = `${project}-written-${String(n)}`;
        const answer = await ask(tenure, systemAdmin, 'POST /v1/nodes', {
          body: { driver: 'fake-hardware', name, owner: project },
          within: patience,
        }).catch(() => null);
        if (answer?.status === 201) acknowledged.set(name, 'node');
      }
    };
    const writers = Promise.all([writer(1), writer(2), creator()]);
    const killed: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      await sleep(700);
      const pid = await partPid(tenure, 'inventory', killed.at(-1));
      signal(pid, 'SIGKILL');
      killed.push(pid);
    }
    await partPid(tenure, 'inventory', killed.at(-1));
    await sleep(700);
    stop = true;
    await writers;
    await untilHealthy();

    expect(acknowledged.size).toBeGreaterThan(10);
    const { extra } = (await nodeOf(tenure, mine.uuid)) as {
      readonly extra: Readonly<Record<string, string>>;
    };
    const list = await ask(tenure, member, 'GET /v1/nodes?fields=name');
    const names = new Set(
      (list.json as { nodes: { name: string }[] }).nodes.map(({ name }) => name),
    );
    const lost = [...acknowledged].filter(([key, value]) =>
      value === 'node' ? !names.has(key) : extra[key] !== value,
    );
    expect(lost).toEqual([]);
  }, 120_000);

  it.each([0, 20, 200])(
    'a power command completes though the conductor was killed %d ms after it had accepted it',
    async (delay) => {
      await untilHealthy();
      const machine = availableNode(`${project}-power-${String(delay)}`, { owner: project });
      await tenure.importDocument({ nodes: [machine] });
      const before = await partPid(tenure, 'conductor');
      expect(
        (
          await ask(tenure, member, `PUT /v1/nodes/${machine.uuid}/states/power`, {
            body: { target: 'power on' },
          })
        ).status,
      ).toBe(202);
      await sleep(delay);
      signal(before, 'SIGKILL');
      await partPid(tenure, 'conductor', before);
      const after = await stableNode(tenure, machine.uuid, 90_000);
      // Either it was done, or it says why not; never "on its way" for ever.
      expect(after['power_state'] === 'power on' || typeof after['last_error'] === 'string').toBe(
        true,
      );
      expect(
        (
          await ask(tenure, member, `PUT /v1/nodes/${machine.uuid}/states/power`, {
            body: { target: 'power on' },
          })
        ).status,
      ).toBe(202);
      expect(await stableNode(tenure, machine.uuid)).toMatchObject({ power_state: 'power on' });
    },
    150_000,
  );

  it('an allocation completes though the allocation service was killed after it had accepted it', async () => {
    await untilHealthy();
    const machine = availableNode(`${project}-alloc`, {
      owner: project,
      resource_class: `class-${project}`,
    });
    await tenure.importDocument({ nodes: [machine] });
    const before = await partPid(tenure, 'allocation');
    const accepted = await ask(tenure, member, 'POST /v1/allocations', {
      body: { resource_class: `class-${project}` },
    });
    signal(before, 'SIGKILL');
    expect(accepted.status).toBe(201);
    const { uuid } = accepted.json as { readonly uuid: string };
    const finished = await eventually(
      () => ask(tenure, member, `GET /v1/allocations/${uuid}`),
      ({ status, json }) => status === 200 && (json as { state: string }).state !== 'allocating',
      { within: 60_000, what: 'finished allocation' },
    );
    expect(finished.json).toMatchObject({ state: 'active', node_uuid: machine.uuid });
  }, 120_000);
});

describe('the end', () => {
  it('a polite request ends every part within twenty seconds', async () => {
    const own = await startTenure('shutdown');
    const all = ['gateway', ...victims] as const;
    const pids = await Promise.all(all.map((part) => partPid(own, part)));
    // To `tenure up` alone, as a process manager does it.
    signal(own.pid, 'SIGINT');
    try {
      const left = await eventually(
        () => [own.pid, ...pids].filter(isRunning),
        (running) => running.length === 0,
        { within: 20_000, what: 'end of all parts' },
      );
      expect(left).toEqual([]);
    } finally {
      await own.stop();
    }
  }, 120_000);
});
