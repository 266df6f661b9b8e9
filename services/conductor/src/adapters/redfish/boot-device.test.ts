import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

describe('boot device over redfish', () => {
  it('is set with the ETag, and read back', async () => {
    bmc.faults.etag = true;
    const node = bench.node();
    await bench.driver.setBootDevice(
      node,
      { device: 'cdrom', persistent: false },
      deadlineIn(15_000),
    );
    expect(bmc.boot).toEqual({ target: 'Cd', enabled: 'Once' });
    expect(await bench.driver.getBootDevice(node, deadlineIn(15_000))).toEqual({
      boot_device: 'cdrom',
      persistent: false,
    });
  });

  it('fetches the ETag again when it was refused with 412', async () => {
    bmc.faults.etag = true;
    bmc.faults.etagMoves = 1;
    await bench.driver.setBootDevice(
      bench.node(),
      { device: 'pxe', persistent: true },
      deadlineIn(15_000),
    );
    expect(bmc.boot).toEqual({ target: 'Pxe', enabled: 'Continuous' });
  });

  it('offers what the BMC allows', async () => {
    expect(await bench.driver.supportedBootDevices(bench.node(), deadlineIn(15_000))).toEqual([
      'pxe',
      'disk',
      'cdrom',
    ]);
  });

  it('refuses a device that the BMC does not offer', async () => {
    expect(
      await failureOf(
        bench.driver.setBootDevice(
          bench.node(),
          { device: 'floppy', persistent: false },
          deadlineIn(15_000),
        ),
      ),
    ).toMatchObject({ kind: 'unsupported' });
    expect(bmc.boot).toEqual({ target: 'None', enabled: 'Disabled' });
  });

  it('reads null where none is set', async () => {
    expect(await bench.driver.getBootDevice(bench.node(), deadlineIn(15_000))).toEqual({
      boot_device: null,
      persistent: null,
    });
  });
});
