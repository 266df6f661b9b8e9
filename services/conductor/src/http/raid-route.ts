import { Type } from '@sinclair/typebox';
import { AppError, NotFoundError, parse } from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { Router } from 'express';
import { toRouteError } from '../domain/driver-failure.js';
import { behalfOf } from '../work/behalf.js';
import { capabilityOf } from '../work/capability.js';
import { finishUnderLock } from '../work/under-lock.js';
import { type NodeRouteOptions } from './asked-node.js';
import { nodeUuidOf } from './request-node.js';

const Name = Type.String({ minLength: 1, maxLength: 255 });
const oneOf = (...names: readonly string[]) => Type.Union(names.map((name) => Type.Literal(name)));

const LogicalDisk = Type.Object(
  {
    raid_level: oneOf('JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'),
    size_gb: Type.Union([
      Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
      Type.Literal('MAX'),
    ]),
    volume_name: Type.Optional(Name),
    is_root_volume: Type.Optional(Type.Boolean()),
    share_physical_disks: Type.Optional(Type.Boolean()),
    disk_type: Type.Optional(oneOf('hdd', 'ssd')),
    interface_type: Type.Optional(oneOf('sata', 'scsi', 'sas')),
    number_of_physical_disks: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    controller: Type.Optional(Name),
    // Software RAID describes a disk by its properties instead of its name.
    physical_disks: Type.Optional(
      Type.Array(Type.Union([Name, Type.Record(Name, Type.Unknown())]), {
        minItems: 1,
        maxItems: 1000,
      }),
    ),
  },
  { additionalProperties: false, dependentRequired: { physical_disks: ['controller'] } },
);
const RaidBody = Type.Union([
  Type.Object({}, { additionalProperties: false }),
  Type.Object(
    { logical_disks: Type.Array(LogicalDisk, { minItems: 1, maxItems: 255 }) },
    { additionalProperties: false },
  ),
]);

/** RAID is an interface that not every driver has: Ironic answers 404 where it is missing. */
export const toRaidError = (error: unknown): unknown => {
  const told = toRouteError(error);
  return told instanceof AppError && told.code === 'driver_unsupported'
    ? NotFoundError.part(told.message)
    : told;
};

/** `PUT /v1/nodes/{ident}/states/raid`: what the disks are to be made into by the next cleaning; `{}` for nothing. */
export const raidRouter = ({ inventory, locks, driverOf }: NodeRouteOptions): Router => {
  const router = Router({ caseSensitive: true });
  router.put('/v1/nodes/:ident/states/raid', async (request, response) => {
    const claims = contextOf(request);
    const config = parse(RaidBody, request.body, 'target_raid_config');
    const behalf = behalfOf(claims);
    const node = await inventory.getNode(behalf, nodeUuidOf(claims));
    try {
      capabilityOf(driverOf(node), node, 'raid', 'raid');
    } catch (error) {
      throw toRaidError(error);
    }
    const lock = await locks.take(behalf, node.uuid);
    await finishUnderLock(lock, () => Promise.resolve({ set: { target_raid_config: config } }));
    response.status(204).end();
  });
  return router;
};
