import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import {
  driveIsFull,
  imageParts,
  type MediaDevice,
  visibleImage,
  typesOf,
} from '../../domain/virtual-media.js';
import {
  type MediaToAttach,
  type VirtualMediaCapability,
} from '../../ports/hardware-capabilities.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { BmcCallFailure } from './bmc-error.js';
import { readMembers } from './collection.js';
import { actionOf, type Json, linkOf, textOf, textsOf } from './json.js';
import { type FindTarget, systemOf } from './target.js';

interface Drive extends Resource {
  readonly types: readonly string[];
  readonly inserted: boolean;
  readonly image: string | undefined;
}

/** Virtual media of the system or, where it has none, of its managers. */
export function redfishVirtualMedia(find: FindTarget): VirtualMediaCapability {
  const drivesOf = async (
    node: NodeRecord,
    deadline: Deadline,
  ): Promise<{ readonly bmc: BmcClient; readonly drives: readonly Drive[] }> => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const found = [...(await readMembers(bmc, system.mediaPath))];
    if (found.length === 0)
      for (const path of system.managerPaths) {
        const manager = await bmc.readOptional(path);
        found.push(...(await readMembers(bmc, linkOf(manager?.data['VirtualMedia']))));
      }
    return { bmc, drives: found.map(driveOf) };
  };
  return {
    list: async (node, deadline) =>
      (await drivesOf(node, deadline)).drives.map(({ types, inserted, image }) => ({
        media_types: types,
        inserted,
        image: inserted && image !== undefined ? visibleImage(image) : null,
      })),
    attach: async (node, media, deadline) => {
      const { bmc, drives } = await drivesOf(node, deadline);
      await attach(bmc, drives, media);
      return {};
    },
    detach: async (node, devices, deadline) => {
      const { bmc, drives } = await drivesOf(node, deadline);
      for (const drive of drives)
        if (drive.inserted && devices.some((device) => fits(drive, device)))
          await eject(bmc, drive);
      return {};
    },
  };
}

function driveOf(resource: Resource): Drive {
  const image = textOf(resource.data['Image']);
  const { Inserted: inserted } = resource.data;
  return {
    ...resource,
    types: textsOf(resource.data['MediaTypes']) ?? [],
    // Some BMCs leave `Inserted` out: then an image says that there is one.
    inserted: typeof inserted === 'boolean' ? inserted : image !== undefined,
    image,
  };
}

async function attach(
  bmc: BmcClient,
  drives: readonly Drive[],
  { device, image, isOurs = false }: MediaToAttach,
): Promise<void> {
  const suitable = drives.filter((drive) => fits(drive, device));
  if (suitable.length === 0)
    throw new DriverFailure('unsupported', `the BMC has no virtual drive of type ${device}`);
  const { address } = imageParts(image);
  if (suitable.some((drive) => drive.inserted && (isOurs || drive.image === address))) return;
  const empty = suitable.find(({ inserted }) => !inserted);
  if (empty === undefined) throw driveIsFull(device);
  await insert(bmc, empty, image);
}

const fits = (drive: Drive, device: MediaDevice): boolean =>
  drive.types.some((type) => typesOf(device).includes(type));

async function eject(bmc: BmcClient, drive: Drive): Promise<void> {
  const action = { name: 'EjectMedia', body: {}, patch: { Image: null, Inserted: false } };
  await bmc.changeAndSee(() => send(bmc, drive, action), {
    read: () => readDrive(bmc, drive),
    isThere: ({ inserted }) => !inserted,
    missing: 'the BMC took the order to eject, but still shows the image',
  });
}

async function insert(bmc: BmcClient, drive: Drive, image: string): Promise<void> {
  await bmc.changeAndSee(() => sendInsert(bmc, drive, image), {
    read: () => readDrive(bmc, drive),
    // The drive was empty: whatever is in it now is ours, in whichever form the BMC repeats the address.
    isThere: ({ inserted }) => inserted,
    missing: 'the BMC took the image, but does not show it as inserted',
  });
}

async function sendInsert(bmc: BmcClient, drive: Drive, image: string): Promise<unknown> {
  const { address, username, password } = imageParts(image);
  const plain = {
    Image: address,
    Inserted: true,
    WriteProtected: true,
    ...(username !== undefined && { UserName: username, Password: password ?? '' }),
  };
  const insert = (body: Json): Promise<unknown> =>
    send(bmc, drive, { name: 'InsertMedia', body, patch: body });
  try {
    return await insert(plain);
  } catch (error) {
    // A 400 means that nothing was done; some BMCs require members that repeat parts of the address.
    if (!(error instanceof BmcCallFailure) || error.status !== 400) throw error;
    const protocol = address.startsWith('https:') ? 'HTTPS' : 'HTTP';
    return insert({ ...plain, TransferMethod: 'Stream', TransferProtocolType: protocol });
  }
}

const readDrive = async (bmc: BmcClient, { path }: Drive): Promise<Drive> =>
  driveOf(await bmc.read(path));

function send(
  bmc: BmcClient,
  drive: Drive,
  action: { readonly name: string; readonly body: Json; readonly patch: Json },
): Promise<unknown> {
  const target = actionOf(drive.data, `#VirtualMedia.${action.name}`);
  // Where there is no action, the members themselves are written.
  return target === undefined
    ? bmc.change(drive, { method: 'PATCH', path: drive.path, body: action.patch })
    : bmc.change(drive, { method: 'POST', path: target, body: action.body });
}
