import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, nodeOf } from '../support/fleet.js';
import { inProject, newProject } from '../support/personas.js';
import { askNova, createServer, deletedServer, stableServer } from '../support/servers.js';
import { type Part, partPid, startTenure, type Tenure } from '../support/tenure.js';

// Acknowledged changes of servers survive the death of any part, and nothing is left behind.

const project = newProject('servers-crash');
const owner = inProject(project, 'member');
const resourceClass = `class-${project}`;
const nodes = ['one', 'two'].map((name) =>
  availableNode(`${project}-${name}`, { owner: project, resource_class: resourceClass }),
);

let tenure: Tenure;

beforeAll(async () => {
  tenure = await startTenure('servers-crash', { COMPUTE_RECOVERY_SECONDS: '1' });
  await tenure.importDocument({ nodes });
});

afterAll(() => tenure.stop());

async function kill(part: Part): Promise<void> {
  const pid = await partPid(tenure, part);
  process.kill(pid, 'SIGKILL');
  await partPid(tenure, part, pid);
}

describe.each<Part>(['compute', 'allocation', 'conductor', 'inventory'])(
  'a server, when %s is killed',
  (part) => {
    it('is built and deleted all the same', async () => {
      const id = await createServer(tenure, owner, { name: part, flavorRef: resourceClass });
      await kill(part);
      expect(await stableServer(tenure, owner, id, 90_000)).toMatchObject({ status: 'ACTIVE' });
      expect((await askNova(tenure, owner, `DELETE /v2.1/servers/${id}`)).status).toBe(204);
      await kill(part);
      await deletedServer(tenure, owner, id, 90_000);
      for (const { uuid } of nodes)
        expect(await nodeOf(tenure, uuid)).toMatchObject({
          instance_uuid: null,
          allocation_uuid: null,
        });
    }, 240_000);
  },
);
