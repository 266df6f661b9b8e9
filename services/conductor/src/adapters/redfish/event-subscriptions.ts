import { BadRequestError, type NodeRecord, NotFoundError } from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { DriverFailure } from '../../domain/driver-failure.js';
import { visibleFields, subscriptionIn } from '../../domain/subscription.js';
import { type VendorArguments } from '../../ports/hardware-capabilities.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { createdAt } from './bmc-transport.js';
import { readMembers } from './collection.js';
import { type Json, linkOf, textsOf } from './json.js';
import { type FindTarget } from './target.js';

interface EventService {
  readonly bmc: BmcClient;
  readonly types: readonly string[] | undefined;
  readonly subscriptions: Resource;
}

/** Event subscriptions of a node's BMC, as vendor methods take and give them. */
export interface EventSubscriptions {
  readonly create: (node: NodeRecord, call: VendorArguments, deadline: Deadline) => Promise<Json>;
  readonly remove: (node: NodeRecord, id: string, deadline: Deadline) => Promise<void>;
  readonly all: (node: NodeRecord, deadline: Deadline) => Promise<Json>;
  readonly one: (node: NodeRecord, id: string, deadline: Deadline) => Promise<Json>;
}

export function createEventSubscriptions(find: FindTarget): EventSubscriptions {
  const serviceOf = async (node: NodeRecord, deadline: Deadline): Promise<EventService> => {
    const { bmc } = await find(node, deadline);
    const root = await bmc.readRoot();
    const service = await bmc.readOptional(linkOf(root.data['EventService']));
    const subscriptions = await bmc.readOptional(linkOf(service?.data['Subscriptions']));
    if (service === undefined || subscriptions === undefined)
      throw new DriverFailure('unsupported', 'the BMC has no event service');
    return { bmc, types: textsOf(service.data['EventTypesForSubscription']), subscriptions };
  };
  const memberOf = async ({ bmc, subscriptions }: EventService, id: string): Promise<Resource> => {
    const found = await bmc.readOptional(memberPath(subscriptions, id));
    if (found === undefined) throw missing(id);
    return found;
  };
  return {
    create: async (node, call, deadline) => {
      const wanted = subscriptionIn(call);
      const { bmc, types, subscriptions } = await serviceOf(node, deadline);
      const unknown = wanted.EventTypes.find((type) => types?.includes(type) === false);
      if (unknown !== undefined && call['EventTypes'] !== undefined)
        throw new BadRequestError(`EventTypes: ${unknown} is not one that the BMC offers.`);
      const { path } = subscriptions;
      const made = createdAt(
        await bmc.change(subscriptions, { method: 'POST', path, body: wanted }),
      );
      // The answer alone proves nothing: the subscription is looked up.
      const found =
        made === undefined
          ? (await readMembers(bmc, path)).findLast(
              ({ data }) =>
                data['Destination'] === wanted.Destination && data['Context'] === wanted.Context,
            )
          : await bmc.readOptional(made);
      if (found === undefined)
        throw new DriverFailure('no_effect', 'the BMC took the subscription, but does not show it');
      return visibleFields(found.data);
    },
    remove: async (node, id, deadline) => {
      const service = await serviceOf(node, deadline);
      const member = await memberOf(service, id);
      const { path } = member;
      await service.bmc.change(member, { method: 'DELETE', path });
      if ((await service.bmc.readOptional(path)) !== undefined)
        throw new DriverFailure('no_effect', 'the BMC took the order, but keeps the subscription');
    },
    all: async (node, deadline) => {
      const { data } = (await serviceOf(node, deadline)).subscriptions;
      return data;
    },
    one: async (node, id, deadline) =>
      visibleFields((await memberOf(await serviceOf(node, deadline), id)).data),
  };
}

const memberPath = ({ path }: Resource, id: string): string =>
  `${path.replace(/\/$/u, '')}/${encodeURIComponent(id)}`;

const missing = (id: string): NotFoundError =>
  NotFoundError.part(`Subscription ${id} could not be found.`);
