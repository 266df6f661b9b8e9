import { type NodeRecord } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import {
  driveIsFull,
  imageParts,
  type MediaDevice,
  shownImage,
  typesOf,
} from '../../domain/virtual-media.js';
import {
  type MediaToAttach,
  type VirtualMediaCapability,
} from '../../ports/hardware-capabilities.js';
import { BmcCallFailure } from './bmc-error.js';
import { type Bmc } from './bmc.js';
import { readMembers } from './collection.js';
import { type Json, linkOf, objectOf, pathOf, textOf, textsOf } from './json.js';
import {
  changeAndSee,
  changeResource,
  readOptional,
  readResource,
  type Resource,
} from './resource.js';
import { type FindTarget, systemOf } from './target.js';

interface Drive extends Resource {
  readonly types: readonly string[];
  readonly inserted: boolean;
  readonly image: string | undefined;
}

const driveOf = (resource: Resource): Drive => {
  const image = textOf(resource.data['Image']);
  const { Inserted: inserted } = resource.data;
  return {
    ...resource,
    types: textsOf(resource.data['MediaTypes']) ?? [],
    // Some BMCs leave `Inserted` out: then an image says that there is one.
    inserted: typeof inserted === 'boolean' ? inserted : image !== undefined,
    image,
  };
};

const readDrive = async (bmc: Bmc, { path }: Drive, deadline: Deadline): Promise<Drive> =>
  driveOf(await readResource(bmc, path, deadline));

const actionOf = (drive: Drive, name: string): string | undefined =>
  pathOf(objectOf(objectOf(drive.data['Actions'])[`#VirtualMedia.${name}`])['target']);

const send = (
  bmc: Bmc,
  drive: Drive,
  action: { readonly name: string; readonly body: Json; readonly patch: Json },
  deadline: Deadline,
): Promise<unknown> => {
  const target = actionOf(drive, action.name);
  // Where there is no action, the members themselves are written.
  return target === undefined
    ? changeResource(
        bmc,
        drive,
        { method: 'PATCH', path: drive.path, body: action.patch },
        deadline,
      )
    : changeResource(bmc, drive, { method: 'POST', path: target, body: action.body }, deadline);
};

const sendInsert = async (
  bmc: Bmc,
  drive: Drive,
  image: string,
  deadline: Deadline,
): Promise<unknown> => {
  const { address, username, password } = imageParts(image);
  const plain = {
    Image: address,
    Inserted: true,
    WriteProtected: true,
    ...(username !== undefined && { UserName: username, Password: password ?? '' }),
  };
  const insert = (body: Json): Promise<unknown> =>
    send(bmc, drive, { name: 'InsertMedia', body, patch: body }, deadline);
  try {
    return await insert(plain);
  } catch (error) {
    // A 400 says that nothing was done; some BMCs want to be told what the address says already.
    if (!(error instanceof BmcCallFailure) || error.status !== 400) throw error;
    const protocol = address.startsWith('https:') ? 'HTTPS' : 'HTTP';
    return insert({ ...plain, TransferMethod: 'Stream', TransferProtocolType: protocol });
  }
};

const insert = async (bmc: Bmc, drive: Drive, image: string, deadline: Deadline): Promise<void> => {
  await changeAndSee(
    () => sendInsert(bmc, drive, image, deadline),
    {
      read: () => readDrive(bmc, drive, deadline),
      // The drive was empty: whatever is in it now is ours, in whichever form the BMC repeats the address.
      isThere: ({ inserted }) => inserted,
      missing: 'the BMC took the image, but does not show it as inserted',
    },
    deadline,
  );
};

const eject = async (bmc: Bmc, drive: Drive, deadline: Deadline): Promise<void> => {
  const action = { name: 'EjectMedia', body: {}, patch: { Image: null, Inserted: false } };
  await changeAndSee(
    () => send(bmc, drive, action, deadline),
    {
      read: () => readDrive(bmc, drive, deadline),
      isThere: ({ inserted }) => !inserted,
      missing: 'the BMC took the order to eject, but still shows the image',
    },
    deadline,
  );
};

const fits = (drive: Drive, device: MediaDevice): boolean =>
  drive.types.some((type) => typesOf(device).includes(type));

const attach = async (
  bmc: Bmc,
  drives: readonly Drive[],
  { device, image, isOurs = false }: MediaToAttach,
  deadline: Deadline,
): Promise<void> => {
  const suitable = drives.filter((drive) => fits(drive, device));
  if (suitable.length === 0)
    throw new DriverFailure('unsupported', `the BMC has no virtual drive of type ${device}`);
  const { address } = imageParts(image);
  if (suitable.some((drive) => drive.inserted && (isOurs || drive.image === address))) return;
  const empty = suitable.find(({ inserted }) => !inserted);
  if (empty === undefined) throw driveIsFull(device);
  await insert(bmc, empty, image, deadline);
};

/** Virtual media of the system or, where it has none, of its managers. */
export const redfishVirtualMedia = (find: FindTarget): VirtualMediaCapability => {
  const drivesOf = async (
    node: NodeRecord,
    deadline: Deadline,
  ): Promise<{ readonly bmc: Bmc; readonly drives: readonly Drive[] }> => {
    const { bmc, system } = await systemOf(find, node, deadline);
    const found = [...(await readMembers(bmc, system.mediaPath, deadline))];
    if (found.length === 0)
      for (const path of system.managerPaths) {
        const manager = await readOptional(bmc, path, deadline);
        found.push(...(await readMembers(bmc, linkOf(manager?.data['VirtualMedia']), deadline)));
      }
    return { bmc, drives: found.map(driveOf) };
  };
  return {
    list: async (node, deadline) =>
      (await drivesOf(node, deadline)).drives.map(({ types, inserted, image }) => ({
        media_types: types,
        inserted,
        image: inserted && image !== undefined ? shownImage(image) : null,
      })),
    attach: async (node, media, deadline) => {
      const { bmc, drives } = await drivesOf(node, deadline);
      await attach(bmc, drives, media, deadline);
      return {};
    },
    detach: async (node, devices, deadline) => {
      const { bmc, drives } = await drivesOf(node, deadline);
      for (const drive of drives)
        if (drive.inserted && devices.some((device) => fits(drive, device)))
          await eject(bmc, drive, deadline);
      return {};
    },
  };
};
