import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

const UPDATE = '/redfish/v1/UpdateService';
const INVENTORY = `${UPDATE}/FirmwareInventory`;

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

type Member = Readonly<Record<string, unknown>>;

function has(members: readonly Member[], perPage?: number): void {
  bmc.machine.root['UpdateService'] = { '@odata.id': UPDATE };
  bmc.machine.parts[UPDATE] = { FirmwareInventory: { '@odata.id': INVENTORY } };
  bmc.machine.addCollection(INVENTORY, members, perPage);
}
/** Components by name, with their versions. */
const read = async (): Promise<readonly (readonly [string, unknown])[]> =>
  ((await bench.driver.firmware?.components(bench.node(), deadlineIn(5000))) ?? []).map(
    ({ component, current_version: version }) => [component, version],
  );
const reads = (text: string): number =>
  bmc.requests.filter(({ path }) => path.includes(text)).length;
const related = (path: string): Member => ({ RelatedItem: [{ '@odata.id': path }] });

const OWN = [
  ['bios', 'B-1.2'],
  ['bmc', 'M-3.4'],
] as const;

describe('firmware over redfish', () => {
  it('is that of BIOS and BMC where there is no update service', async () => {
    expect(await bench.driver.firmware?.components(bench.node(), deadlineIn(15_000))).toEqual([
      {
        component: 'bios',
        initial_version: 'B-1.2',
        current_version: 'B-1.2',
        last_version_flashed: null,
      },
      {
        component: 'bmc',
        initial_version: 'M-3.4',
        current_version: 'M-3.4',
        last_version_flashed: null,
      },
    ]);
  });

  it('is that of BIOS and BMC where the update service that is linked is not there', async () => {
    bmc.machine.root['UpdateService'] = { '@odata.id': UPDATE };
    expect(await read()).toEqual(OWN);
  });

  it('names what it is part of as Ironic does, and the rest by its id', async () => {
    has([
      { Id: 'Bios', Version: 'ignored', ...related('/redfish/v1/Systems/1/Bios') },
      { Id: 'Bmc', Version: 'ignored', ...related('/redfish/v1/Managers/1') },
      { Id: 'X', Version: '22.1', ...related('/redfish/v1/Chassis/1/NetworkAdapters/NIC1/') },
      { Id: 'PSU0', Version: '1.07' },
    ]);
    expect(await read()).toEqual([...OWN, ['nic:NIC1', '22.1'], ['PSU0', '1.07']]);
  });

  it('names numbered components by their title, and distinguishes equal titles', async () => {
    has([
      { Id: '4', Name: 'Power Supply (Bay 1)', Version: '1.0' },
      { Id: '5', Name: 'Embedded Video', Version: '2.5' },
      { Id: '6', Name: 'Embedded Video', Version: '2.6' },
    ]);
    expect(await read()).toEqual([
      ...OWN,
      ['power-supply-bay-1', '1.0'],
      ['embedded-video', '2.5'],
      ['embedded-video:6', '2.6'],
    ]);
  });

  it('leaves versions out of names, and what is not installed out altogether', async () => {
    has([
      { Id: 'Previous-159-2.18.0__BIOS.Setup.1-1', Version: '2.18.0' },
      { Id: 'Installed-159-2.19.1__BIOS.Setup.1-1', Version: '2.19.1' },
      { Id: 'Current-101-18.5__NIC.Integrated.1-1-1', Version: '18.5' },
      { Id: 'Installed-101-19.5__NIC.Integrated.1-1-1', Version: '19.5' },
      { Id: 'Installed-0-00.1B__PSU.Slot.1', Version: '00.1B' },
      { Id: 'Installed-28897-6.0', Name: 'Lifecycle Controller', Version: '6.0' },
      { Id: 'Empty', Version: '0', Status: { State: 'Absent' } },
      { Id: 'Unsaid' },
    ]);
    expect(await read()).toEqual([
      ...OWN,
      ['nic:NIC.Integrated.1-1-1', '19.5'],
      ['PSU.Slot.1', '00.1B'],
      ['lifecycle-controller', '6.0'],
    ]);
  });

  it('is read over all pages', async () => {
    has(
      ['A', 'B', 'C', 'D', 'E'].map((Id) => ({ Id, Version: '1' })),
      2,
    );
    expect((await read()).map(([name]) => name)).toEqual(['bios', 'bmc', 'A', 'B', 'C', 'D', 'E']);
  });

  it('ends where a page leads to itself', async () => {
    has([{ Id: 'A', Version: '1' }]);
    bmc.machine.parts[INVENTORY] = {
      ...bmc.machine.parts[INVENTORY],
      'Members@odata.nextLink': INVENTORY,
    };
    expect(await read()).toEqual([...OWN, ['A', '1']]);
  });

  it('is read in one answer where the BMC offers that', async () => {
    has([{ Id: 'A', Version: '1' }]);
    bmc.machine.root['ProtocolFeaturesSupported'] = { ExpandQuery: { NoLinks: true } };
    bmc.machine.parts[`${INVENTORY}?$expand=.($levels=1)`] = {
      Members: [{ '@odata.id': `${INVENTORY}/A`, Id: 'A', Version: '2' }],
    };
    expect(await read()).toEqual([...OWN, ['A', '2']]);
    expect(reads(`${INVENTORY}/A`)).toBe(0);
  });

  it('is read piece by piece where the BMC refuses what it offers', async () => {
    has([{ Id: 'A', Version: '1' }]);
    bmc.machine.root['ProtocolFeaturesSupported'] = { ExpandQuery: { ExpandAll: true } };
    expect(await read()).toEqual([...OWN, ['A', '1']]);
    expect(reads('$expand=*')).toBe(1);
  });

  it('is a failure, not a shorter list, when the BMC does not answer in time', async () => {
    has([{ Id: 'A', Version: '1' }]);
    bmc.faults.hang = true;
    expect(await failureOf(read())).toMatchObject({ kind: 'timeout' });
  });
});
