import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { type Deadline, deadlineIn } from '@tenure/process';
import { type HardwareCapabilities, type VendorMethod } from '../../ports/hardware-capabilities.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;
let driver: HardwareDriver;
let node: NodeRecord;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc, driver } = bench);
  node = aRedfishNode(bmc);
});

afterEach(async () => {
  await bench.close();
});

const soon = (): Deadline => deadlineIn(15_000);
/** For what is waited for in vain. */
const short = (): Deadline => deadlineIn(1000);

function has<K extends keyof HardwareCapabilities>(name: K): NonNullable<HardwareDriver[K]> {
  const capability = driver[name];
  if (capability === undefined) throw new Error(`no ${name}`);
  return capability;
}
function vendor(name: string): VendorMethod {
  const method = has('vendor')[name];
  if (method === undefined) throw new Error(`no ${name}`);
  return method;
}
/** Change requests that the BMC got, without logins. */
const changes = (): readonly (readonly [string, string])[] =>
  bmc.requests
    .filter(({ method, path }) => method !== 'GET' && !path.includes('Sessions'))
    .map(({ method, path }) => [method, path]);

describe('boot mode over redfish', () => {
  it('is set and read back', async () => {
    expect(await has('bootMode').set(node, 'uefi', soon())).toBe('uefi');
    expect(bmc.machine.bootMode).toBe('UEFI');
    expect(bmc.boot).toEqual({ target: 'None', enabled: 'Disabled' });
  });

  it('is not sent when it is so already', async () => {
    expect(await has('bootMode').set(node, 'bios', soon())).toBe('bios');
    expect(changes()).toEqual([]);
  });

  it('does not believe a 204', async () => {
    bmc.machine.deaf = true;
    expect(await failureOf(has('bootMode').set(node, 'uefi', short()))).toMatchObject({
      kind: 'no_effect',
      message: 'the BMC took the boot mode, but does not show it',
    });
    expect(changes()).toHaveLength(1);
  });

  it('is a BIOS attribute where the system has no such member', async () => {
    bmc.machine.bootMode = undefined;
    expect(await has('bootMode').set(node, 'uefi', soon())).toBe('uefi');
    expect(bmc.machine.attributes['BootMode']).toBe('Uefi');
  });

  it('is unsupported where there is neither', async () => {
    bmc.machine.bootMode = undefined;
    bmc.machine.attributes = {};
    expect(await failureOf(has('bootMode').set(node, 'uefi', soon()))).toMatchObject({
      kind: 'unsupported',
    });
  });
});

describe('secure boot over redfish', () => {
  it('is switched on and off, and read back', async () => {
    expect(await has('secureBoot').set(node, true, soon())).toBe(true);
    expect(bmc.machine.secureBoot).toBe(true);
    expect(await has('secureBoot').set(node, false, soon())).toBe(false);
    expect(bmc.machine.secureBoot).toBe(false);
  });

  it('does not believe a 204', async () => {
    bmc.machine.deaf = true;
    expect(await failureOf(has('secureBoot').set(node, true, short()))).toMatchObject({
      kind: 'no_effect',
    });
  });

  it('is unsupported where there is none', async () => {
    bmc.machine.secureBoot = undefined;
    expect(await failureOf(has('secureBoot').set(node, true, soon()))).toMatchObject({
      kind: 'unsupported',
      message: 'the BMC does not offer secure boot',
    });
  });
});

describe('an NMI over redfish', () => {
  it('is one reset of that type', async () => {
    await has('nmi').inject(node, soon());
    expect(bmc.resets).toEqual(['Nmi']);
  });

  it('is never repeated', async () => {
    bmc.faults.resetAnswer = 500;
    expect(await failureOf(has('nmi').inject(node, soon()))).toMatchObject({ kind: 'answer' });
    expect(bmc.resets).toEqual(['Nmi']);
  });
});

describe('indicators over redfish', () => {
  it('are those of the chassis and of the system', async () => {
    expect(await has('indicators').list(node, soon())).toEqual([
      { component: 'chassis', name: '1', readonly: false, states: ['blinking', 'off', 'on'] },
      { component: 'system', name: '1', readonly: false, states: ['blinking', 'off', 'on'] },
    ]);
  });

  it('are set and read back', async () => {
    const led = { component: 'chassis', name: '1' };
    await has('indicators').set(node, { ...led, state: 'blinking' }, soon());
    expect(bmc.machine.chassisLed).toBe('Blinking');
    expect(bmc.machine.led).toBe('Off');
    expect(await has('indicators').get(node, led, soon())).toBe('blinking');
  });

  it('do not believe a 204', async () => {
    bmc.machine.deaf = true;
    const change = { component: 'system', name: '1', state: 'on' } as const;
    expect(await failureOf(has('indicators').set(node, change, short()))).toMatchObject({
      kind: 'no_effect',
    });
  });
});

describe('virtual media over redfish', () => {
  const image = 'http://images.example/deploy.iso';
  const cdrom = { device: 'cdrom', image } as const;

  it('are attached, listed, and detached', async () => {
    const media = has('virtualMedia');
    await media.attach(node, cdrom, soon());
    expect(bmc.machine.drives['Cd']?.inserted).toEqual({
      Image: image,
      Inserted: true,
      WriteProtected: true,
    });
    expect(await media.list(node, soon())).toEqual([
      { media_types: ['CD', 'DVD'], inserted: true, image },
      { media_types: ['Floppy', 'USBStick'], inserted: false, image: null },
    ]);
    await media.detach(node, ['cdrom'], soon());
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });

  it('give credentials to the BMC apart from the address, and never show them or a signature', async () => {
    const media = has('virtualMedia');
    const secret = 'https://reader:pa%20ss@images.example/a.iso?signature=s3cret';
    await media.attach(node, { device: 'cdrom', image: secret }, soon());
    expect(bmc.machine.drives['Cd']?.inserted).toMatchObject({
      Image: 'https://images.example/a.iso?signature=s3cret',
      UserName: 'reader',
      Password: 'pa ss',
    });
    expect((await media.list(node, soon()))[0]?.image).toBe('https://images.example/a.iso');
  });

  it('are left alone when the image is there already', async () => {
    await has('virtualMedia').attach(node, cdrom, soon());
    await has('virtualMedia').attach(node, cdrom, soon());
    expect(changes()).toHaveLength(1);
  });

  it('are not replaced by another image', async () => {
    await has('virtualMedia').attach(node, cdrom, soon());
    const other = { device: 'cdrom', image: 'http://images.example/other.iso' } as const;
    expect(await failureOf(has('virtualMedia').attach(node, other, soon()))).toMatchObject({
      kind: 'unsupported',
      message: 'every virtual drive of type cdrom holds an image already; detach it first',
    });
    expect(bmc.machine.drives['Cd']?.image).toBe(image);
  });

  it('do not believe a 204', async () => {
    bmc.machine.deaf = true;
    expect(await failureOf(has('virtualMedia').attach(node, cdrom, short()))).toMatchObject({
      kind: 'no_effect',
      message: 'the BMC took the image, but does not show it as inserted',
    });
    expect(changes()).toHaveLength(1);
  });

  it('never repeat an insertion that was answered with 500', async () => {
    const basic = aRedfishNode(bmc, { redfish_auth_type: 'basic' });
    bmc.faults.empty = { POST: 500 };
    expect(await failureOf(has('virtualMedia').attach(basic, cdrom, short()))).toMatchObject({
      message: 'the answer of the BMC was not Redfish',
    });
    expect(changes()).toHaveLength(1);
  });

  it('send the transfer method to a BMC that requires it', async () => {
    bmc.machine.wantsTransfer = true;
    await has('virtualMedia').attach(node, cdrom, soon());
    expect(bmc.machine.drives['Cd']?.inserted).toMatchObject({
      TransferProtocolType: 'HTTP',
      TransferMethod: 'Stream',
    });
  });

  it('that still contain an image after it was ejected are a failure', async () => {
    await has('virtualMedia').attach(node, cdrom, soon());
    bmc.machine.deaf = true;
    expect(await failureOf(has('virtualMedia').detach(node, ['cdrom'], short()))).toMatchObject({
      kind: 'no_effect',
    });
  });

  it('are ejected by the vendor method too', async () => {
    await has('virtualMedia').attach(node, cdrom, soon());
    await vendor('eject_vmedia').run(node, { boot_device: 'floppy' }, soon());
    expect(bmc.machine.drives['Cd']?.image).toBe(image);
    await vendor('eject_vmedia').run(node, {}, soon());
    expect(bmc.machine.drives['Cd']?.image).toBeNull();
  });
});

describe('event subscriptions over redfish', () => {
  const wanted = { Destination: 'https://events.example/hook' };
  const view = {
    Id: '1',
    Destination: 'https://events.example/hook',
    Protocol: 'Redfish',
    Context: '',
    EventTypes: ['Alert'],
  };

  it('are created, read back and returned without their headers', async () => {
    const call = { ...wanted, HttpHeaders: [{ Authorization: 'Bearer s3cret' }] };
    const create = vendor('create_subscription');
    expect(await create.run(node, call, soon())).toEqual(view);
    expect(bmc.machine.subscriptions.get('1')).toMatchObject({
      HttpHeaders: [{ Authorization: 'Bearer s3cret' }],
    });
    expect(await vendor('get_subscription').run(node, { id: '1' }, soon())).toEqual(view);
    expect(await vendor('get_all_subscriptions').run(node, {}, soon())).toMatchObject({
      Members: [{ '@odata.id': '/redfish/v1/EventService/Subscriptions/1' }],
    });
  });

  it('are not believed to be there because of a 201', async () => {
    bmc.machine.deaf = true;
    const create = vendor('create_subscription');
    expect(await failureOf(create.run(node, wanted, soon()))).toMatchObject({ kind: 'no_effect' });
    expect(changes()).toHaveLength(1);
  });

  it('take only event types that the BMC offers', async () => {
    const call = { ...wanted, EventTypes: ['Alert', 'Gossip'] };
    expect(await failureOf(vendor('create_subscription').run(node, call, soon()))).toMatchObject({
      status: 400,
    });
    expect(changes()).toEqual([]);
  });

  it('are deleted, and missing afterwards', async () => {
    await vendor('create_subscription').run(node, wanted, soon());
    await vendor('delete_subscription').run(node, { id: '1' }, soon());
    expect(bmc.machine.subscriptions.size).toBe(0);
    expect(
      await failureOf(vendor('delete_subscription').run(node, { id: '1' }, soon())),
    ).toMatchObject({ status: 404 });
  });

  it.each([
    ['create_subscription', {}],
    ['create_subscription', { Destination: 'file:///etc/passwd' }],
    ['create_subscription', { Destination: 'https://x.example', EventTypes: 'Alert' }],
    ['get_subscription', {}],
    ['delete_subscription', { id: '../../Managers/1' }],
    ['delete_subscription', { id: '..' }],
    ['eject_vmedia', { boot_device: 'tape' }],
  ])('%s refuses %j', (name, call) => {
    expect(() => {
      vendor(name).validate(call);
    }).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe('documents over redfish', () => {
  it('hold the BIOS attributes as text, and no password', async () => {
    expect(await has('bios').settings(node, soon())).toEqual([
      { name: 'BootMode', value: 'Bios' },
      { name: 'NumLock', value: 'true' },
    ]);
  });
});
