import { BadRequestError, limitIn, parse, timestampOf } from '@tenure/contracts';
import { contextOf, onlyFrom } from '@tenure/http';
import { type Request, Router } from 'express';
import { assertCurrent } from '../../application/change-node.js';
import { silentConductors } from '../../application/conductors.js';
import { findNode } from '../../application/find-node.js';
import {
  conductorValues,
  type Lock,
  type LockedChange,
  takeLock,
  takeLockOver,
  writeUnderLock,
} from '../../application/node-locks.js';
import { type CustodySigner } from '../../ports/custody-signer.js';
import { type Condition } from '../../ports/record-store.js';
import { type Stores } from '../../ports/stores.js';
import { FencedChangeBody, ReservationBody, TakeOverBody } from '../bodies.js';
import { byReader } from '../by-reader.js';
import { pathPart, queryOf } from '../internal-query.js';

export interface InternalDependencies {
  readonly stores: Stores;
  readonly now: () => Date;
  /** Signs completed handovers. */
  readonly signer: CustodySigner;
}

const LIST_PARAMETERS = ['limit', 'marker', 'reservation', 'departed', 'lease', 'handover'];

type Values = Readonly<Record<string, unknown>>;

/** Internal routes about nodes (docs/contracts/inventory.md). */
export const internalNodeRouters = (deps: InternalDependencies): readonly Router[] => [
  readRouter(deps),
  lockRouter(deps),
];

function readRouter(deps: InternalDependencies): Router {
  const { stores } = deps;
  const router = Router({ caseSensitive: true });
  router.get('/internal/nodes', onlyFrom('conductor'), byReader, async (request, response) => {
    const query = queryOf(request, LIST_PARAMETERS);
    const { limit, marker, reservation, departed, lease, handover } = query;
    if (marker !== undefined && (await stores.nodes.findBy('uuid', marker)) === undefined)
      throw new BadRequestError('The marker is not a node.');
    const { rows, more } = await stores.nodes.page({
      anyOf: reservation === undefined ? null : [{ field: 'reservation', value: reservation }],
      where: [
        ...(await expiredOnly(deps, departed)),
        ...overOnly(lease, deps.now()),
        ...inHandoverOnly(handover),
      ],
      order: { field: null, descending: false },
      after: marker === undefined ? null : { uuid: marker, value: null },
      limit: limitIn(limit),
    });
    response.json({ nodes: rows, more });
  });
  router.get('/internal/nodes/:uuid', onlyFrom('conductor'), async (request, response) => {
    const node = await findNode(stores, pathPart(request, 'uuid'));
    assertCurrent(node, contextOf(request));
    response.json(node);
  });
  return router;
}

function lockRouter(deps: InternalDependencies): Router {
  const router = Router({ caseSensitive: true });
  const lockOf = (request: Request, holder: string, set: Values): Lock => ({
    uuid: pathPart(request, 'uuid'),
    holder,
    set: conductorValues(set),
    user: contextOf(request).subject?.user_id ?? null,
  });
  router.post(
    '/internal/nodes/:uuid/reservation',
    onlyFrom('conductor'),
    async (request, response) => {
      const { holder, set = {} } = parse(ReservationBody, request.body, 'reservation');
      const lock = lockOf(request, holder, set);
      response.json(locked(await takeLock(deps, lock, contextOf(request))));
    },
  );
  router.post(
    '/internal/nodes/:uuid/reservation/takeover',
    onlyFrom('conductor'),
    async (request, response) => {
      const takeover = parse(TakeOverBody, request.body, 'takeover');
      const uuid = pathPart(request, 'uuid');
      response.json(locked(await takeLockOver(deps, { ...takeover, uuid })));
    },
  );
  router.patch('/internal/nodes/:uuid', onlyFrom('conductor'), async (request, response) => {
    const {
      holder,
      fence,
      set = {},
      release = false,
      handover = null,
    } = parse(FencedChangeBody, request.body, 'change');
    const lock = lockOf(request, holder, set);
    const write = { fence, release, completes: handover === 'complete' };
    response.json(locked(await writeUnderLock(deps, lock, write, contextOf(request))));
  });
  return router;
}

/**
 * Restricts the list to nodes whose lock belongs to a conductor that sends no heartbeats any more, if the request says
 * so.
 * @throws BadRequestError
 */
async function expiredOnly(
  { stores }: InternalDependencies,
  departed: string | undefined,
): Promise<readonly Condition[]> {
  if (departed === undefined) return [];
  if (departed !== 'true') throw new BadRequestError('departed can only be true.');
  const silent = await silentConductors(stores);
  return [{ field: 'reservation', op: 'in', values: silent.map(({ hostname }) => hostname) }];
}

/**
 * Restricts the list to nodes whose lease is over and that are not cleaned yet, if the request says so.
 * @throws BadRequestError
 */
function overOnly(lease: string | undefined, now: Date): readonly Condition[] {
  if (lease === undefined) return [];
  if (lease !== 'over') throw new BadRequestError('lease can only be over.');
  return [{ field: 'lease_end', op: 'at_most', value: timestampOf(now) }];
}

/**
 * Of nodes that are being handed over, when these alone are wanted.
 * @throws BadRequestError
 */
function inHandoverOnly(handover: string | undefined): readonly Condition[] {
  if (handover === undefined) return [];
  if (handover !== 'open') throw new BadRequestError('handover can only be open.');
  return [{ field: 'handover_uuid', op: 'not_null' }];
}

const locked = ({ node, previous }: LockedChange) => ({
  node,
  fence: node.fence,
  previous: {
    provision_state: previous.provision_state,
    provision_updated_at: previous.provision_updated_at ?? null,
    power_state: previous.power_state,
  },
});
