import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode, imported, nodeOf } from '../support/fleet.js';
import { type Answer, askLatest } from '../support/http-client.js';
import {
  inProject,
  inSystem,
  newProject,
  type Persona,
  systemAdmin,
  systemReader,
} from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { seenIn } from './noninterference/probe.js';

const project = newProject('introspection');

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
});

async function nodeWith(fields: Readonly<Record<string, unknown>> = {}): Promise<FleetNode> {
  return imported(
    tenure,
    availableNode(newProject('introspected'), {
      owner: project,
      provision_state: 'manageable',
      ...fields,
    }),
  );
}

const ask = (who: Persona, line: string, body?: unknown): Promise<Answer> =>
  askLatest(tenure, who, line, body);

const finished = (uuid: string): Promise<Answer> =>
  eventually(
    () => ask(systemReader, `GET /v1/introspection/${uuid}`),
    ({ json }) => (json as { finished?: boolean } | null)?.finished === true,
  );

describe('ironic-inspector’s API', () => {
  it('inspects a node for the administrator of the system and shows what was found', async () => {
    const { uuid } = await nodeWith({ properties: {} });
    expect((await ask(systemReader, `GET /v1/introspection/${uuid}`)).status).toBe(404);
    expect((await ask(systemAdmin, `POST /v1/introspection/${uuid}`)).status).toBe(202);
    expect((await finished(uuid)).json).toMatchObject({
      uuid,
      state: 'finished',
      finished: true,
      error: null,
      started_at: expect.stringMatching(/^20/u),
      finished_at: expect.stringMatching(/^20/u),
    });
    expect((await ask(systemReader, `GET /v1/introspection/${uuid}/data`)).json).toMatchObject({
      inventory: {
        cpu: { count: expect.any(Number) },
        memory: { physical_mb: expect.any(Number) },
      },
    });
    expect(await nodeOf(tenure, uuid)).toMatchObject({
      provision_state: 'manageable',
      properties: { cpu_arch: 'x86_64' },
    });
    expect((await ask(systemReader, 'GET /v1/introspection?state=finished')).text).toContain(uuid);
  });

  it('aborts an inspection that waits for its agent, and says so', async () => {
    const { uuid } = await nodeWith({ inspect_interface: 'agent' });
    expect((await ask(systemAdmin, `POST /v1/introspection/${uuid}`)).status).toBe(202);
    await eventually(
      () => ask(systemReader, `GET /v1/introspection/${uuid}`),
      ({ json }) => (json as { state?: string } | null)?.state === 'waiting',
    );
    expect((await ask(systemReader, `GET /v1/introspection/${uuid}/data`)).status).toBe(404);
    expect((await ask(systemAdmin, `POST /v1/introspection/${uuid}/abort`)).status).toBe(202);
    expect((await finished(uuid)).json).toMatchObject({
      state: 'error',
      error: 'The inspect wait was aborted by request.',
    });
  });

  it('reports to the administrator a missing node, and of one in the wrong state', async () => {
    const { uuid } = await nodeWith({ provision_state: 'available' });
    expect((await ask(systemAdmin, `POST /v1/introspection/${randomUUID()}`)).status).toBe(404);
    expect((await ask(systemAdmin, `POST /v1/introspection/${uuid}`)).status).toBe(400);
    expect((await ask(systemAdmin, `POST /v1/introspection/${uuid}/abort`)).status).toBe(400);
    expect(await nodeOf(tenure, uuid)).toMatchObject({ provision_state: 'available' });
  });
});

const LINES = [
  'GET /v1/introspection',
  'GET /v1/introspection/{it}',
  'GET /v1/introspection/{it}/data',
  'POST /v1/introspection/{it}',
  'POST /v1/introspection/{it}/abort',
  'POST /v1/introspection/{it}/data/unprocessed',
];

describe.each(LINES)('%s', (line) => {
  let node: FleetNode;

  beforeAll(async () => {
    node = await nodeWith();
  });

  it.each([
    ['admin', inProject(project, 'admin')],
    ['service account', inProject(project, 'service')],
    ['admin of another project', inProject(newProject('c'), 'admin')],
  ])('is refused to a project’s %s, whatever the node', async (_, who) => {
    const { uuid } = node;
    const missing = randomUUID();
    const [own, other] = [
      await ask(who, line.replace('{it}', uuid)),
      await ask(who, line.replace('{it}', missing)),
    ];
    expect(own.status).toBe(403);
    expect(seenIn(own, uuid)).toEqual(seenIn(other, missing));
  });

  it('changes nothing for a member of the system', async () => {
    const { uuid } = node;
    const answer = await ask(inSystem('member'), line.replace('{it}', uuid));
    expect(answer.status === 403).toBe(line.startsWith('POST'));
    expect(await nodeOf(tenure, uuid)).toMatchObject({ provision_state: 'manageable' });
  });
});
