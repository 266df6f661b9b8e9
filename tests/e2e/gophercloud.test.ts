import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode, type FleetNode } from '../support/fleet.js';
import { type KeystoneUser } from '../support/keystone.js';
import { cache, cleanEnvironment } from '../support/paths.js';
import { type Scene, setScene } from './keystone/cast.js';

const program = path.join(cache, 'gophercloud', 'acceptance.test');
const RESULT = /^ +--- (PASS|FAIL|SKIP): Test\w+\/(\S+)/gmu;

/** The result of each step of a run, by its sentence; and the output when a step failed. */
type Run = Readonly<Record<string, string>>;

function runProgram(test: string, env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve) => {
    const args = ['-test.v', '-test.timeout=3m', `-test.run=^${test}$`];
    execFile(program, args, { env: { ...cleanEnvironment(), ...env } }, (error, stdout, stderr) => {
      const steps = [...stdout.matchAll(RESULT)].map(
        ([, result = '', name = '']) => [name.replaceAll('_', ' '), result] as const,
      );
      resolve({
        ...Object.fromEntries(steps),
        ...(error !== null && { printed: `${stdout}${stderr}` }),
      });
    });
  });
}

describe('gophercloud, logged in to a real Keystone with name and password', () => {
  let scene: Scene;
  let other: FleetNode;
  let ownersAdmin: KeystoneUser;
  beforeAll(async () => {
    scene = await setScene('fernet');
    other = availableNode('gophercloud-other', { owner: scene.projectB });
    await scene.tenure.importDocument({ nodes: [other] });
    const ofOwner = { project: { id: scene.projectA } };
    ownersAdmin = await scene.keystone.user('ada', ofOwner, 'admin');
  }, 240_000);
  afterAll(() => scene.stop());

  const run = (test: string, { name, password, scope }: KeystoneUser): Promise<Run> =>
    runProgram(test, {
      OS_AUTH_URL: scene.keystone.url,
      OS_USERNAME: name,
      OS_PASSWORD: password,
      ...(scope !== null && 'project' in scope && { OS_PROJECT_ID: scope.project.id }),
      GATEWAY: scene.tenure.url,
      OWNER: scene.projectA,
      OWN_NODE: scene.node.uuid,
      OTHER_NODE: other.uuid,
    });

  const passed = (...sentences: readonly string[]): Run =>
    Object.fromEntries(sentences.map((sentence) => [sentence, 'PASS']));

  it('takes a machine through its life as system administrator', async () => {
    expect(await run('TestOperator', scene.systemAdmin)).toEqual(
      passed(
        'finds the gateway in the catalog',
        'lists the drivers',
        'shows a driver and its properties',
        'enrols a node',
        'shows it by uuid and by name',
        'lists nodes page by page',
        'lists nodes whole, by a filter',
        'updates it by a JSON patch',
        'validates it',
        'manages and provides it',
        'gets an error for a state that cannot be reached from here',
        'switches it on, reboots it, and switches it off',
        'puts it into maintenance and takes it out',
        'sets its boot device',
        'gives it a port, changes it, and takes it away',
        'allocates it and releases it',
        'gets 409 for a conflict',
        'deletes it',
      ),
    );
  }, 180_000);

  it('does as tenant with its own machine what its project may, and finds no other', async () => {
    expect(await run('TestTenant', ownersAdmin)).toEqual(
      passed(
        'lists its own node only',
        'shows its own node',
        "gets a 404 for another's node, as for one that is missing",
        'may not enrol, delete, or look at drivers',
        'updates its own node by a JSON patch, but not its owner',
        'validates its own node',
        'switches its own node on and off',
        'puts its own node into maintenance and takes it out',
        'sets the boot device of its own node',
        'manages and provides its own node',
        'has ports on its own node only',
        "allocates its own node, and never another's",
      ),
    );
  }, 180_000);

  it('finds nothing as a project that has nothing', async () => {
    expect(await run('TestStranger', scene.stranger)).toEqual(
      passed('sees an empty fleet', 'gets a 404 for every node'),
    );
  }, 60_000);
});
