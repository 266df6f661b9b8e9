import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { redfishSettingsOf } from '../../domain/redfish-settings.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { startStubBmc, type StubBmc } from '../../testing/stub-bmc.js';
import { type BmcDirectory, createBmcDirectory } from './bmc-directory.js';
import { type Bmc } from './bmc.js';
import { systemIdsOf } from './system-ids.js';

let bmc: StubBmc;
let directory: BmcDirectory;
let found: Bmc;

beforeEach(async () => {
  bmc = await startStubBmc();
  const limits = { connectMs: 3000, callMs: 3000, maxAnswerBytes: 100_000 };
  directory = createBmcDirectory({
    limits,
    observe: () => undefined,
    caDirectory: '/no/such/directory',
    guard: () => true,
  });
  found = await directory.find(redfishSettingsOf(aRedfishNode(bmc)));
});

afterEach(async () => {
  await directory.close();
  await bmc.close();
});

const ids = (): Promise<readonly string[]> => systemIdsOf(found, deadlineIn(15_000));

describe('the systems of a BMC', () => {
  it('are listed with one request in our own session', async () => {
    expect(await ids()).toEqual(['1']);
    expect(bmc.logins).toBe(1);
    const systems = bmc.requests.filter(({ path }) => path.includes('/Systems'));
    expect(systems.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /redfish/v1/Systems',
    ]);
  });

  it('are not taken from an empty 500', async () => {
    bmc.faults.empty = { GET: 500 };
    await expect(ids()).rejects.toMatchObject({
      message: 'the answer of the BMC was not Redfish',
    });
  });

  it('are not waited for for ever', async () => {
    bmc.faults.hang = true;
    await expect(ids()).rejects.toMatchObject({ kind: 'timeout' });
  });
});
