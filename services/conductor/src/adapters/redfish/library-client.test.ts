import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '../../deadline.js';
import { redfishSettingsOf } from '../../domain/redfish-settings.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { startStubBmc, type StubBmc } from '../../testing/stub-bmc.js';
import { type BmcDirectory, createBmcDirectory } from './bmc-directory.js';
import { RedfishLibraryClient } from './library-client.js';

let bmc: StubBmc;
let directory: BmcDirectory;
let client: RedfishLibraryClient;

beforeEach(async () => {
  bmc = await startStubBmc();
  const limits = { connectMs: 3000, callMs: 3000, maxAnswerBytes: 100_000 };
  directory = createBmcDirectory({
    limits,
    observe: () => undefined,
    caDirectory: '/no/such/directory',
    guard: () => true,
  });
  client = new RedfishLibraryClient(
    await directory.find(redfishSettingsOf(aRedfishNode(bmc))),
    deadlineIn(15_000),
  );
});

afterEach(async () => {
  await directory.close();
  await bmc.close();
});

describe('redfish-client, wrapped', () => {
  it('lists systems through our own session', async () => {
    expect(await client.getAvailableSystemIds()).toEqual(['1']);
    expect(bmc.logins).toBe(1);
  });

  it('does not take an empty 500 for success', async () => {
    bmc.faults.empty = { GET: 500 };
    await expect(client.getAvailableSystemIds()).rejects.toMatchObject({
      message: 'the answer of the BMC was not Redfish',
    });
  });

  it('does not wait for ever', async () => {
    bmc.faults.hang = true;
    await expect(client.getAvailableSystemIds()).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('reads the power state anew', async () => {
    expect(await client.getSystemPowerState('/redfish/v1/Systems/1')).toBe('Off');
    bmc.power = 'On';
    expect(await client.getSystemPowerState('/redfish/v1/Systems/1')).toBe('On');
  });

  it('hands out and ends the one session', async () => {
    expect(await client.getSessionToken()).not.toBe('');
    await client.closeSession();
    expect(bmc.openSessions).toBe(0);
  });

  it('never clears a job queue', async () => {
    await expect(client.bootVirtualMedia()).rejects.toMatchObject({ kind: 'unsupported' });
    await expect(client.setVirtualMediaAsNextBootDevice()).rejects.toMatchObject({
      kind: 'unsupported',
    });
    expect(bmc.requests).toEqual([]);
  });
});
