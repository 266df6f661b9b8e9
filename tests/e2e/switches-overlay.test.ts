import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, stableNode } from '../support/fleet.js';
import { type Answer, askLatest, faultString } from '../support/http-client.js';
import { portOn } from '../support/node-parts.js';
import { replaces } from '../support/patch.js';
import { runDirectory } from '../support/paths.js';
import { inProject, inSystem, newProject, type Persona, systemAdmin } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { distinctAnswers } from './special-rules/distinct-answers.js';

const OWNER = newProject('overlay-owner');
const LESSEE = newProject('overlay-lessee');
const memberO = inProject(OWNER, 'member');
const memberL = inProject(LESSEE, 'member');

function fileWith(name: string, text: string): string {
  mkdirSync(runDirectory, { recursive: true });
  const file = path.join(mkdtempSync(path.join(runDirectory, 'overlay-')), name);
  writeFileSync(file, text);
  return file;
}

const POWER_LINE = 'baremetal:node:set_power_state: [system_member, owner_member]\n';

describe('an operator’s overlays', () => {
  const files = {
    power: fileWith('power.yaml', POWER_LINE),
    family: fileWith('family.json', '{"baremetal:node:update:parent_node": ["owner_member"]}'),
  };
  const node = availableNode(newProject('overlay'), { owner: OWNER, lessee: LESSEE });
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('overlay', {
      TENURE_POLICY_OVERLAYS: `${files.power},${files.family}`,
    });
    await tenure.importDocument({ nodes: [node], ports: [portOn(node)] });
  });

  afterAll(() => tenure.stop());

  const ask = (who: Persona, verb: string, body?: unknown): Promise<Answer> =>
    askLatest(tenure, who, verb.replace('{node}', `/v1/nodes/${node.uuid}`), body);

  const power = async (who: Persona): Promise<number> => {
    const { status } = await ask(who, 'PUT {node}/states/power', { target: 'power off' });
    if (status === 202) await stableNode(tenure, node.uuid);
    return status;
  };

  it('take the power away from the lessee, and say which action was refused', async () => {
    for (const role of ['admin', 'manager', 'member'])
      expect(await power(inProject(LESSEE, role))).toBe(403);
    const refused = await ask(memberL, 'PUT {node}/states/power', { target: 'power off' });
    expect(faultString(refused.text)).toContain('baremetal:node:set_power_state');
  });

  it('leave it to whom they name, and to nobody else', async () => {
    expect(await power(memberO)).toBe(202);
    expect(await power(inSystem('member'))).toBe(202);
    expect(await power(systemAdmin)).toBe(202);
    expect(await power(inProject(OWNER, 'reader'))).toBe(403);
    expect(await power(inProject(OWNER, 'service'))).toBe(403);
    expect(await power(inSystem('service'))).toBe(403);
    expect(await power(inProject(newProject('c'), 'admin'))).toBe(404);
  });

  it.each([
    { verb: 'GET {node}', who: 'reader', status: 200 },
    { verb: 'GET {node}/states', who: 'reader', status: 200 },
    { verb: 'GET /v1/ports', who: 'reader', status: 200 },
    { verb: 'PATCH {node}', body: replaces('extra', { a: 1 }), who: 'member', status: 200 },
    { verb: 'PATCH {node}', body: replaces('instance_info', { b: 2 }), who: 'member', status: 200 },
    { verb: 'PUT {node}/states/boot_mode', body: { target: 'uefi' }, who: 'member', status: 202 },
    { verb: 'GET {node}/validate', who: 'manager', status: 200 },
    { verb: 'POST {node}/vifs', body: { id: 'a-vif' }, who: 'manager', status: 204 },
    { verb: 'DELETE {node}/vifs/a-vif', who: 'manager', status: 204 },
    { verb: 'PUT {node}/maintenance', body: {}, who: 'admin', status: 403 },
    { verb: 'PATCH {node}', body: replaces('lessee', null), who: 'admin', status: 403 },
  ])('change nothing else for the lessee: $verb, $status', async ({ verb, body, who, status }) => {
    await stableNode(tenure, node.uuid);
    expect((await ask(inProject(LESSEE, who), verb, body)).status).toBe(status);
  });

  it('let a project’s member say what a node is part of, among its own nodes', async () => {
    const child = availableNode(newProject('overlay'), { owner: OWNER });
    const parent = availableNode(newProject('overlay'), { owner: OWNER });
    const leased = availableNode(newProject('overlay'), { owner: 'somebody', lessee: OWNER });
    const foreign = availableNode(newProject('overlay'), { owner: 'somebody' });
    await tenure.importDocument({ nodes: [child, parent, leased, foreign] });
    const adopt = (ident: string): Promise<Answer> =>
      askLatest(tenure, memberO, `PATCH /v1/nodes/${child.uuid}`, replaces('parent_node', ident));
    const wrong = [
      ...[randomUUID(), foreign.uuid, leased.uuid, child.uuid],
      ...[newProject('overlay'), foreign.name],
    ];
    expect(await distinctAnswers(wrong.slice(0, 4), adopt)).toEqual([
      { status: 400, fault: 'Node IDENT cannot be the parent of this node.' },
    ]);
    expect(await distinctAnswers(wrong.slice(4), adopt)).toHaveLength(1);
    expect((await adopt(parent.uuid)).status).toBe(200);
  });

  it('are heeded when they change, and kept when they change for the worse', async () => {
    writeFileSync(files.power, `${POWER_LINE}baremetal:node:explode: [system_admin]\n`);
    await eventually(
      () => tenure.log(),
      (log) => log.includes('line 2, rule baremetal:node:explode: unknown action'),
      { what: 'complaint about the overlay' },
    );
    expect([await power(memberL), await power(memberO)]).toEqual([403, 202]);
    writeFileSync(files.power, 'baremetal:node:set_power_state: [lessee_member]\n');
    await eventually(
      () => power(memberL),
      (status) => status === 202,
      { what: 'the lessee’s power' },
    );
    expect(await power(memberO)).toBe(403);
  });
});

const MISTAKES = [
  [
    'an action that there is not',
    '# mine\n\nbaremetal:node:explode: [system_admin]\n',
    'line 3, rule baremetal:node:explode: unknown action',
  ],
  [
    'a grant that there is not',
    'baremetal:node:get: [system_reader, everyone]\n',
    'line 1, rule baremetal:node:get: unknown grant',
  ],
] as const;

describe('an overlay with a mistake', () => {
  it.each(MISTAKES)('stops the start: %s', async (_, text, message) => {
    const file = fileWith('mine.yaml', text);
    const outcome = await startTenure('bad-overlay', { TENURE_POLICY_OVERLAYS: file }).then(
      async (tenure) => {
        await tenure.stop();
        return 'it started';
      },
      (error: unknown) => String(error),
    );
    const last = outcome.trimEnd().split('\n').slice(-3).join('\n');
    expect(last).toContain(`mine.yaml, ${message}`);
  });
});
