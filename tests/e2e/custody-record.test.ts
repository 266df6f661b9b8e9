import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { askLatest, faultString } from '../support/http-client.js';
import { inProject, newProject, type Persona, systemReader } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';

const ownerProject = newProject('custody-owner');
const lesseeProject = newProject('custody-lessee');
const owner = inProject(ownerProject, 'reader');
const ownerService = inProject(ownerProject, 'service');
const lessee = inProject(lesseeProject, 'reader');
const stranger = inProject(newProject('custody-stranger'), 'admin');

let tenure: Tenure;
let node: FleetNode;

beforeAll(async () => {
  tenure = await sharedTenure();
  node = availableNode(newProject('custody'), { owner: ownerProject, lessee: lesseeProject });
  await tenure.importDocument({ nodes: [node] });
});

const get = (who: Persona, target: string) => askLatest(tenure, who, `GET ${target}`);

describe('the handovers of a node', () => {
  it('are for readers of the system, of the owner and of the lessee', async () => {
    for (const [who, filter] of [
      [systemReader, 'all'],
      [owner, 'node_uuid,owner,from_project,to_project'],
      [lessee, 'owner,from_project,to_project'],
    ] as const) {
      const answer = await get(who, `/v1/nodes/${node.uuid}/handovers`);
      expect([answer.status, answer.json]).toEqual([200, { handovers: [] }]);
      expect(answer.headers['x-tenure-policy-filter']).toBe(filter);
    }
  });

  it('are those of a missing node to a stranger', async () => {
    const [hidden, missing] = [node.uuid, randomUUID()];
    const answers = await Promise.all(
      [hidden, missing].map((uuid) => get(stranger, `/v1/nodes/${uuid}/handovers`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers.map((answer) => faultString(answer.text))).toEqual([
      `Node ${hidden} could not be found.`,
      `Node ${missing} could not be found.`,
    ]);
  });

  it('are refused to a service account that sees the node', async () => {
    const answer = await get(ownerService, `/v1/nodes/${node.uuid}/handovers`);
    expect(answer.status).toBe(403);
    expect(faultString(answer.text)).toContain('baremetal:handover:get');
  });

  it('are missing alike when there is no such handover', async () => {
    const uuid = randomUUID();
    for (const [who, target] of [
      [owner, `/v1/nodes/${node.uuid}/handovers/${uuid}`],
      [stranger, `/v1/handovers/${uuid}`],
    ] as const) {
      const answer = await get(who, target);
      expect([answer.status, faultString(answer.text)]).toEqual([
        404,
        `Handover ${uuid} could not be found.`,
      ]);
    }
  });

  it('are listed to a project without any as none', async () => {
    const answer = await get(stranger, '/v1/handovers');
    expect([answer.status, answer.json]).toEqual([200, { handovers: [] }]);
  });

  it('have no route that writes them', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await askLatest(
        tenure,
        owner,
        `${method} /v1/nodes/${node.uuid}/handovers`,
        {},
      );
      expect([404, 405]).toContain(answer.status);
    }
  });
});

describe('the custody record on the command line', () => {
  it('is printed by name, and found whole', async () => {
    expect(await tenure.cli('custody', 'show', node.name)).toBe(
      `${node.name} (${node.uuid}): 0 complete, 0 under way\n`,
    );
    expect(await tenure.cli('custody', 'verify', node.uuid)).toBe(
      `${node.name} (${node.uuid}): 0 handovers, as they were written\n`,
    );
  });

  it('is signed with a key that only the inventory may read', () => {
    const directory = path.join(tenure.dataDir, 'keys', 'custody');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(directory, 'private.pem')).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(directory, 'public.pem'), 'utf8')).not.toContain('PRIVATE');
  });
});
