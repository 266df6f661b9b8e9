import { beforeAll, describe, expect, it } from '@jest/globals';
import { memberOf } from '@tenure/policy';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { productBundle } from '../testing/product-bundle.js';
import { type Run, runTenureIn } from '../testing/run-tenure.js';

let bundle: string;
beforeAll(() => {
  bundle = productBundle();
});

const policy = (...args: readonly string[]): Promise<Run> =>
  runTenureIn({}, 'policy', ...args, '--bundle', bundle);

const POWER = 'baremetal:node:set_power_state';
const document = ({ stdout }: Run): unknown => JSON.parse(stdout);

describe('tenure policy can', () => {
  it('allows a member of the owner, and says by which grant', async () => {
    const { stdout, error } = await policy('can', POWER, '--as', 'own_member');
    expect(error).toBeUndefined();
    expect(stdout).toBe(
      'allowed by owner_member\n  masked: chassis_uuid, conductor, conductor_group, reservation\n',
    );
  });

  it('denies a reader, and says what it lacked, the nearest first', async () => {
    const run = await policy('can', POWER, '--as', 'or', '--on', 'owner=p1,lessee=p2', '--json');
    expect(run.error).toEqual(new ExitStatus(1));
    expect(document(run)).toMatchObject({
      allow: false,
      visible: true,
      reason: 'not_granted',
      denied: [POWER],
      question: { subject: { project_id: 'p1', roles: ['reader'] }, resource: { owner: 'p1' } },
      nearest_misses: [
        {
          grant: 'owner_member',
          about: 'member in the project that owns the node',
          missing: [{ fact: 'role', has: ['reader'], needs: 'member' }],
        },
        {
          grant: 'system_member',
          missing: [
            { fact: 'scope', has: 'project', needs: 'system' },
            { fact: 'role', has: ['reader'], needs: 'member' },
          ],
        },
        {
          grant: 'nova_service',
          missing: [
            { fact: 'scope', has: 'project', needs: 'system' },
            { fact: 'role', has: ['reader'], needs: 'service' },
          ],
        },
        {
          grant: 'lessee_member',
          missing: [
            { fact: 'project', has: 'p1', needs: 'p2', of: 'lessee' },
            { fact: 'role', has: ['reader'], needs: 'member' },
          ],
        },
        {
          grant: 'legacy_admin',
          missing: [
            { fact: 'enforce_new_defaults', has: true, needs: false },
            { fact: 'role', has: ['reader'], needs: 'admin' },
          ],
        },
      ],
    });
  });

  it('shows a third party no more than 404, and that it would have to be the owner', async () => {
    const run = await policy(
      ...['can', POWER, '--project', 'p3', '--role', 'member', '--on', 'owner=p1'],
    );
    expect(run.error).toEqual(new ExitStatus(1));
    expect(run.stdout).toContain(`denied, not visible (404): not_visible, ${POWER}\n`);
    expect(run.stdout).toContain(
      '  owner_member: member in the project that owns the node\n      project: has p3, needs p1 (its owner)\n',
    );
  });

  it('asks about fields and the owner that a body names', async () => {
    const node = ['--system', '--role', 'admin', '--on', 'owner=p1'];
    const field = await policy(
      ...['can', 'baremetal:node:update', '--project', 'p1', '--role', 'member'],
      ...['--on', 'owner=p1', '--field', 'shard', '--json'],
    );
    expect(document(field)).toMatchObject({
      allow: false,
      denied: ['baremetal:node:update:shard'],
      question: { fields: ['/shard'] },
    });
    expect((await policy('can', 'baremetal:node:update', ...node, '--field', '/owner')).error).toBe(
      undefined,
    );
    const allocation = await policy(
      ...['can', 'baremetal:allocation:create_restricted', '--project', 'p1', '--role', 'member'],
      ...['--requested-owner', 'p2', '--json'],
    );
    expect(document(allocation)).toMatchObject({
      allow: false,
      reason: 'owner_mismatch',
      nearest_misses: expect.arrayContaining([
        expect.objectContaining({
          missing: [{ fact: 'requested_owner', has: 'p2', needs: 'p1' }],
        }),
      ]),
    });
  });

  it('goes by the switches of the environment and of the command line', async () => {
    const args = ['policy', 'can', POWER, '--bundle', bundle, '--as', 'ps', '--on', 'owner=p1'];
    const env = { TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true' };
    expect((await runTenureIn({}, ...args)).error).toEqual(new ExitStatus(1));
    expect((await runTenureIn(env, ...args)).error).toBeUndefined();
    const off = ['--switch', 'rbac_service_role_elevated_access=off'];
    expect((await runTenureIn(env, ...args, ...off)).error).toEqual(new ExitStatus(1));
  });

  it.each([
    ['there is no such action', ['can', 'baremetal:no:such', '--as', 'om'], 'has no action'],
    ['there is no such persona', ['can', POWER, '--as', 'king'], 'no persona king; there are'],
    [
      'a pair is no attribute',
      ['can', POWER, '--as', 'om', '--on', 'colour=red'],
      'is no attribute',
    ],
    [
      'nothing runs that knows nodes',
      ['can', POWER, '--as', 'om', '--on', 'node-1', '--data-dir', '/no/such/place'],
      '/no/such/place',
    ],
  ])('cannot run when %s', async (_what, args, message) => {
    const { error } = await policy(...args);
    expect(error).not.toBeInstanceOf(ExitStatus);
    expect(String(error)).toContain(message);
  });
});

describe('tenure policy who-can', () => {
  it('names the projects and the roles in them', async () => {
    const { stdout } = await policy('who-can', POWER, 'owner=p1,lessee=p2');
    expect(stdout).toBe(
      `the system: member, manager, admin, service; by system_member, nova_service
the project that owns it (p1): member, manager, admin; by owner_member
the project that leases it (p2): member, manager, admin; by lessee_member
the service project (service): nobody
any other project: nobody
`,
    );
  });

  it('says the same in one document', async () => {
    const run = await policy('who-can', 'baremetal:node:get', 'owner=p1', '--json');
    const callers = memberOf(document(run), 'callers');
    expect(callers).toHaveLength(4);
    expect(callers).toMatchObject([
      { who: 'the system', project: null },
      {
        who: 'the project that owns it',
        project: 'p1',
        roles: [
          { role: 'reader', allow: true, visible: true, grants: ['owner_reader'] },
          { role: 'member', allow: true },
          { role: 'manager', allow: true },
          { role: 'admin', allow: true },
          { role: 'service', allow: true, grants: ['owner_service'] },
        ],
      },
      { who: 'the service project' },
      { who: 'any other project', roles: expect.arrayContaining([]) },
    ]);
  });
});

describe('tenure policy what-can', () => {
  it('lists for every action what a caller may do, by relation', async () => {
    const run = await policy('what-can', 'les_member', '--json');
    const actions = memberOf(document(run), 'actions');
    const cells = (name: string): unknown =>
      memberOf(
        Array.isArray(actions)
          ? actions.find((each) => memberOf(each, 'action') === name)
          : undefined,
        'cells',
      );
    expect(cells(POWER)).toEqual({
      owned: 'A',
      leased: 'A',
      both: 'A',
      'of others': '.',
      'of nobody': '.',
    });
    expect(cells('baremetal:node:set_maintenance')).toMatchObject({ owned: 'A', leased: '-' });
    expect(cells('baremetal:node:list')).toMatchObject({ owned: 'P' });
  });

  it('has no column of owned resources for a caller without a project', async () => {
    const { stdout } = await policy('what-can', '--system', '--role', 'reader');
    expect(stdout).toMatch(/^action +of others {2}of nobody$/mu);
    expect(stdout).toMatch(/^baremetal:node:get +A +A$/mu);
    expect(stdout).toMatch(/^baremetal:node:set_power_state +- +-$/mu);
  });
});
