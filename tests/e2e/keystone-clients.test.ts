import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeystoneUser } from '../support/keystone.js';
import { cleanEnvironment, venvBin } from '../support/paths.js';
import { type Scene, setScene } from './keystone/cast.js';

const run = promisify(execFile);

describe('clients that log in to a real Keystone with name and password', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene('jws');
  }, 240_000);
  afterAll(() => scene.stop());

  const settings = ({ name, password, scope }: KeystoneUser): Record<string, string> => ({
    ...cleanEnvironment(),
    PYTHONWARNINGS: 'ignore',
    OS_AUTH_URL: scene.keystone.url,
    OS_IDENTITY_API_VERSION: '3',
    OS_USERNAME: name,
    OS_PASSWORD: password,
    OS_USER_DOMAIN_ID: 'default',
    ...(scope !== null && 'project' in scope
      ? { OS_PROJECT_ID: scope.project.id }
      : { OS_SYSTEM_SCOPE: 'all' }),
  });
  const openstack = async (user: KeystoneUser, ...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await run(path.join(venvBin, 'openstack'), [...args, '-f', 'json'], {
      env: settings(user),
    });
    return JSON.parse(stdout);
  };

  it('openstack baremetal finds the gateway in the catalog and lists what its user may see', async () => {
    const list = ['baremetal', 'node', 'list', '--fields', 'name', 'owner', 'lessee'];
    const row = { name: 'keystone-node', owner: scene.projectA, lessee: scene.projectB };
    expect(await openstack(scene.owner, ...list)).toEqual([row]);
    expect(await openstack(scene.systemReader, ...list)).toEqual([row]);
    expect(await openstack(scene.stranger, ...list)).toEqual([]);
  });

  it('openstacksdk does the same', async () => {
    const code = 'import openstack; print([n.name for n in openstack.connect().baremetal.nodes()])';
    const { stdout } = await run(path.join(venvBin, 'python'), ['-c', code], {
      env: settings(scene.lessee),
    });
    expect(stdout.trim()).toBe("['keystone-node']");
  });
});
