import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode, nodeOf } from '../support/fleet.js';
import {
  inProject,
  newProject,
  type Persona,
  systemAdmin,
  systemReader,
} from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// connection.baremetal_introspection of openstacksdk, which speaks to an ironic-inspector, pointed at Tenure.

const project = newProject('inspected');
const idle = { owner: project, provision_state: 'manageable' };
const node = availableNode(`${project}-one`, idle);
const waiting = availableNode(`${project}-two`, { ...idle, inspect_interface: 'agent' });

let tenure: Tenure;
let clients: Clients;

beforeAll(async () => {
  tenure = await sharedTenure();
  clients = startClients(tenure);
  await tenure.importDocument({ nodes: [node, waiting] });
});

afterAll(() => {
  clients.stop();
});

async function evaluate(persona: Persona, expression: string): Promise<unknown> {
  const { result, error } = await clients.sdk(
    persona,
    `i, N, W = conn.baremetal_introspection, '${node.uuid}', '${waiting.uuid}'\nresult = ${expression}`,
  );
  return error === null ? result : error.status;
}

const STATUS = '[i.get_introspection(N).state, i.get_introspection(N).is_finished]';
const LIST = '[x.id for x in i.introspections() if x.id in (N, W)]';
const DATA = "i.get_introspection_data(N)['inventory']['cpu']['count']";

describe('connection.baremetal_introspection', () => {
  it('starts, waits for and shows an introspection, and its data', async () => {
    expect(await evaluate(systemAdmin, STATUS)).toBe(404);
    expect(await evaluate(systemAdmin, 'i.start_introspection(N).id')).toBe(node.uuid);
    const waited = 'i.wait_for_introspection(N, timeout=60)';
    expect(await evaluate(systemAdmin, `[${waited}.state, ${waited}.error]`)).toEqual([
      'finished',
      null,
    ]);
    for (const persona of [systemAdmin, systemReader]) {
      expect(await evaluate(persona, STATUS)).toEqual(['finished', true]);
      expect(await evaluate(persona, LIST)).toEqual([node.uuid]);
      expect(await evaluate(persona, DATA)).toBe(4);
    }
  });

  it('starts one by the node’s name, and aborts it', async () => {
    const start = `i.start_introspection('${waiting.name}', manage_boot=False).id`;
    expect(await evaluate(systemAdmin, start)).toBe(waiting.uuid);
    await eventually(
      () => nodeOf(tenure, waiting.uuid),
      (seen) => seen['provision_state'] === 'inspect wait' && seen['reservation'] === null,
    );
    expect(await evaluate(systemAdmin, 'i.get_introspection(W).is_finished')).toBe(false);
    expect(
      await evaluate(systemAdmin, 'i.abort_introspection(W, ignore_missing=False)'),
    ).toBeNull();
    await eventually(
      () => nodeOf(tenure, waiting.uuid),
      (seen) => seen['provision_state'] === 'inspect failed',
    );
    expect(
      await evaluate(systemAdmin, '[i.get_introspection(W).state, i.get_introspection(W).error]'),
    ).toEqual(['error', 'The inspect wait was aborted by request.']);
  });

  it.each([
    ['a reader of the system', systemReader, 403],
    ["the owner's admin", inProject(project, 'admin'), 403],
    ["a stranger's admin", inProject(newProject('uninspected'), 'admin'), 403],
  ] as const)('is not for %s to start or abort', async (_, persona, status) => {
    expect(await evaluate(persona, 'i.start_introspection(N).id')).toBe(status);
    expect(await evaluate(persona, 'i.abort_introspection(N, ignore_missing=False)')).toBe(status);
  });

  it.each([
    ["the owner's admin", inProject(project, 'admin')],
    ["a stranger's admin", inProject(newProject('unseen'), 'admin')],
  ] as const)('is not for %s to see', async (_, persona) => {
    for (const expression of [STATUS, LIST, DATA])
      expect([expression, await evaluate(persona, expression)]).toEqual([expression, 403]);
  });
});
