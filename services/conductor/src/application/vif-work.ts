import {
  AppError,
  BadRequestError,
  ConflictError,
  type CallContext,
  type NodeRecord,
} from '@tenure/contracts';
import {
  attachmentsIn,
  claimantFor,
  freePlaceIn,
  hasPlace,
  isUsable,
  type Place,
  placeOf,
  type Places,
  type PortId,
  type VifOwner,
  withoutVif,
  withVif,
} from '../domain/vifs.js';
import { type LockedWork, withInventoryRetry } from './locked-write.js';
import { type NodeLock } from './node-locks.js';
import { type ProvisioningPorts, type SharedParts } from './shared-parts.js';
import { thenRelease } from './under-lock.js';

/** A VIF to attach, and the port or portgroup when the caller chooses one. */
interface VifToAttach {
  readonly vif: string;
  readonly chosen: PortId | undefined;
}

export interface VifWork {
  /** The VIFs attached to a node. */
  readonly list: (context: CallContext, nodeUuid: string) => Promise<readonly string[]>;
  readonly attach: (context: CallContext, nodeUuid: string, request: VifToAttach) => Promise<void>;
  readonly detach: (context: CallContext, nodeUuid: string, vif: string) => Promise<void>;
  /** Detaches every VIF, under a lock that the caller owns; returns how many there were. */
  readonly detachAll: (work: LockedWork) => Promise<number>;
}

export interface VifWorkOptions
  extends Pick<SharedParts, 'inventory' | 'locks'>, Pick<ProvisioningPorts, 'ports' | 'registry'> {}

/** The dependencies of an attachment's steps. */
interface Parts extends VifWorkOptions {
  readonly placesOf: (context: CallContext, nodeUuid: string) => Promise<Places>;
  readonly writeInfo: (
    lock: NodeLock,
    place: Place,
    info: Readonly<Record<string, unknown>>,
    /** For whom a VIF in `info` is attached; undefined when there is none. */
    vifProjectId?: string | null,
  ) => Promise<void>;
}

export function createVifWork(options: VifWorkOptions): VifWork {
  const { inventory, locks } = options;
  const parts = partsOf(options);
  return {
    list: async (context, nodeUuid) => {
      const places = await parts.placesOf(context, nodeUuid);
      // Refuses a decision that was stale when the ports were read.
      await inventory.getNode(context, nodeUuid);
      return attachmentsIn(places).map(({ vif }) => vif);
    },
    attach: async (context, nodeUuid, request) => {
      const lock = await locks.take(context, nodeUuid);
      await thenRelease(lock, () => attachUnder(lock, request, parts));
    },
    detach: async (context, nodeUuid, vif) => {
      const lock = await locks.take(context, nodeUuid);
      await thenRelease(lock, () => detachUnder(lock, vif, parts));
    },
    detachAll: async ({ lock, deadline }) => {
      const places = await withInventoryRetry(
        () => parts.placesOf(lock.context(), lock.uuid),
        deadline,
      );
      const attached = attachmentsIn(places);
      for (const place of attached)
        await ignoringMissing(() =>
          withInventoryRetry(
            () => parts.writeInfo(lock, place, withoutVif(place.record)),
            deadline,
          ),
        );
      return attached.length;
    },
  };
}

const partsOf = (options: VifWorkOptions): Parts => ({
  ...options,
  placesOf: async (context, nodeUuid) => {
    const [portgroups, ports] = await Promise.all([
      options.ports.list(context, nodeUuid, 'portgroups'),
      options.ports.list(context, nodeUuid, 'ports'),
    ]);
    return { portgroups, ports };
  },
  writeInfo: (lock, { kind, record }, info, vifProjectId) => {
    const change = {
      ...lock.proof,
      set: { internal_info: info },
      ...(vifProjectId !== undefined && { vif_project_id: vifProjectId }),
    };
    return options.ports.change(lock.context(), lock.uuid, { kind, uuid: record.uuid }, change);
  },
});

async function attachUnder(
  lock: NodeLock,
  request: VifToAttach,
  { registry, placesOf, writeInfo }: Parts,
): Promise<void> {
  const { vif } = request;
  const node = lock.node();
  const context = lock.context();
  const usableOwner = async (): Promise<VifOwner> => {
    const owner = await registry.ownerOf(context, vif);
    if (!isUsable(context.obligations.filter, owner)) throw refused(vif, node);
    return owner;
  };
  // The owner is checked first: a caller that may not use a VIF must not learn where it is.
  const owner = await usableOwner();
  const place = findPlace(await placesOf(context, lock.uuid), request, node);
  const projectId = owner.kind === 'project' ? owner.id : claimantFor(context, node);
  try {
    await writeInfo(lock, place, withVif(place.record, vif), projectId);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'duplicate')) throw error;
    // Another caller attached it since the check, perhaps of another project.
    await usableOwner();
    throw alreadyAttached(vif, 'Port of another node');
  }
}

async function detachUnder(lock: NodeLock, vif: string, parts: Parts): Promise<void> {
  const place = placeOf(await parts.placesOf(lock.context(), lock.uuid), vif);
  if (place === undefined)
    throw new BadRequestError(
      `Unable to detach VIF ${vif} from node ${lock.uuid} because it is not attached to it.`,
    );
  await parts.writeInfo(lock, place, withoutVif(place.record));
}

/** A port that was removed meanwhile holds no VIF any more. */
async function ignoringMissing(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof AppError && error.status === 404)) throw error;
  }
}

/** The same error for a VIF of another project and for a place of another node, so that it does not reveal which. */
const refused = (vif: string, node: NodeRecord): BadRequestError =>
  new BadRequestError(`VIF ${vif} cannot be attached to node ${node.uuid}.`);

function findPlace(places: Places, { vif, chosen }: VifToAttach, node: NodeRecord): Place {
  const here = placeOf(places, vif);
  if (here !== undefined) throw alreadyAttached(vif, nameOf(here));
  if (chosen !== undefined && !hasPlace(places, chosen)) throw refused(vif, node);
  const place = freePlaceIn(places, chosen);
  if (place === undefined)
    throw new BadRequestError(`Unable to attach VIF ${vif}, not enough free physical ports.`);
  return place;
}

const alreadyAttached = (vif: string, where: string): ConflictError =>
  new ConflictError(
    'vif_attached',
    `Unable to attach VIF because VIF ${vif} is already attached to Ironic ${where}`,
  );

const nameOf = ({ kind, record }: Place): string =>
  `${kind === 'ports' ? 'Port' : 'Portgroup'} ${record.uuid}`;
