import {
  BadRequestError,
  DRIVER_PARAMETER_SINCE,
  limitIn,
  minorOf,
  NotFoundError,
  orderIn,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { type Request, Router } from 'express';
import { allWhere } from '../../application/all-where.js';
import { conductorsAt } from '../../application/conductors.js';
import { type WriteDependencies } from '../../application/write-nodes.js';
import { type Conductor } from '../../domain/conductors.js';
import { driversOf } from '../../domain/drivers.js';
import { byReader } from '../by-reader.js';
import { pathPart } from '../internal-query.js';
import { nextLink, type Query, textParameters } from '../list-query.js';
import { always, requestedMembers } from '../query-members.js';
import {
  CONDUCTOR_BRIEF,
  CONDUCTOR_WHOLE,
  conductorView,
  DRIVER_BRIEF,
  DRIVER_WHOLE,
  driverSince,
  driverView,
} from '../views/fleet-views.js';

// These lists are not filtered: a caller that may read them reads all rows.
const UNFILTERED = ['X-Tenure-Policy-Filter', 'all'] as const;

const CONDUCTOR_PARAMETERS = {
  detail: 49,
  fields: 49,
  limit: 49,
  marker: 49,
  sort_key: 49,
  sort_dir: 49,
};
const CONDUCTOR_MEMBERS = { brief: CONDUCTOR_BRIEF, whole: CONDUCTOR_WHOLE };

const SORT_KEYS: Readonly<Record<string, (conductor: Conductor) => string>> = {
  hostname: ({ hostname }) => hostname,
  conductor_group: ({ conductor_group: group }) => group,
  created_at: ({ created_at: moment }) => moment ?? '',
  updated_at: ({ seen_at: moment }) => new Date(moment).toISOString(),
};

const DRIVER_TYPES: readonly (string | undefined)[] = ['dynamic', 'classic', undefined];

/** Routes of conductors, drivers and the other parts of the fleet beside the nodes. */
export const fleetRouters = (deps: WriteDependencies): readonly Router[] => [
  shardRouter(deps),
  conductorRouter(deps),
  driverRouter(deps),
];

/** `/v1/shards`, since 1.82: how many nodes each has. Those of none are counted as Ironic counts them. */
function shardRouter({ stores }: WriteDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/shards', byReader, async (request, response) => {
    textParameters(request.query, {}, minorOf(contextOf(request)));
    const counts = await stores.nodes.countBy('shard');
    response.set(...UNFILTERED).json({
      shards: counts.map(({ value, count }) => ({ name: value ?? 'None', count })),
    });
  });
  return router;
}

/** `/v1/conductors`, since 1.49: also those that no longer report. */
function conductorRouter({ stores, now }: WriteDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.get('/v1/conductors', byReader, async (request, response) => {
    const { public_base: base, ...context } = contextOf(request);
    const minor = minorOf(context);
    const given = textParameters(request.query, CONDUCTOR_PARAMETERS, minor);
    const fields = requestedMembers(given, minor, CONDUCTOR_MEMBERS, always(CONDUCTOR_WHOLE));
    const all = await stores.conductors.list(allWhere());
    const { page, next } = pageOf(sorted(all, given, minor), given, base);
    const conductors = page.map((one) => conductorView(one, fields, { base, now: now() }));
    response.set(...UNFILTERED).json({ conductors, ...(next !== undefined && { next }) });
  });
  router.get('/v1/conductors/:hostname', async (request, response) => {
    const { public_base: base, ...context } = contextOf(request);
    const minor = minorOf(context);
    const { fields } = textParameters(request.query, { fields: 49 }, minor);
    const members = requestedMembers(
      fields === undefined ? {} : { fields },
      minor,
      { brief: CONDUCTOR_WHOLE, whole: CONDUCTOR_WHOLE },
      always(CONDUCTOR_WHOLE),
    );
    const hostname = pathPart(request, 'hostname');
    const found = await stores.conductors.findBy('hostname', hostname);
    if (found === undefined) throw NotFoundError.of('Conductor', hostname);
    response.json(conductorView(found, members, { base, now: now() }));
  });
  return router;
}

/** `/v1/drivers`: what the live conductors run. */
function driverRouter(deps: WriteDependencies): Router {
  const router = Router({ caseSensitive: true });
  const viewing = (request: Request) => {
    const context = contextOf(request);
    return { base: context.public_base, minor: minorOf(context) };
  };
  router.get('/v1/drivers', byReader, async (request, response) => {
    const view = viewing(request);
    const given = textParameters(request.query, DRIVER_PARAMETER_SINCE, view.minor);
    const members = { brief: DRIVER_BRIEF, whole: DRIVER_WHOLE };
    const fields = requestedMembers(given, view.minor, members, driverSince);
    assertDriverType(given['type']);
    const drivers =
      given['type'] === 'classic' ? [] : driversOf(await conductorsAt(deps.stores, deps.now()));
    response
      .set(...UNFILTERED)
      .json({ drivers: drivers.map((driver) => driverView(driver, fields, view)) });
  });
  router.get('/v1/drivers/:name', async (request, response) => {
    const view = viewing(request);
    const given = textParameters(
      request.query,
      { fields: DRIVER_PARAMETER_SINCE.fields },
      view.minor,
    );
    const members = { brief: DRIVER_WHOLE, whole: DRIVER_WHOLE };
    const fields = requestedMembers(given, view.minor, members, driverSince);
    const name = pathPart(request, 'name');
    const driver = driversOf(await conductorsAt(deps.stores, deps.now())).find(
      (one) => one.name === name,
    );
    if (driver === undefined)
      throw new NotFoundError(
        `Could not find the following driver(s) or hardware type(s): ${name.slice(0, 255)}.`,
      );
    response.json(driverView(driver, fields, view));
  });
  return router;
}

function pageOf(
  conductors: readonly Conductor[],
  { marker, limit: limitText, ...kept }: Query,
  base: string,
): { readonly page: readonly Conductor[]; readonly next: string | undefined } {
  const limit = limitIn(limitText);
  const start =
    marker === undefined ? 0 : conductors.findIndex(({ hostname }) => hostname === marker) + 1;
  if (marker !== undefined && start === 0) throw NotFoundError.of('Conductor', marker);
  const page = conductors.slice(start, start + limit);
  const last = page.at(-1);
  if (last === undefined || last === conductors.at(-1)) return { page, next: undefined };
  const asking = { kept: Object.entries(kept), limit };
  return { page, next: nextLink('/v1/conductors', asking, last.hostname, base) };
}

/** Sorted in memory: a fleet has few conductors. Ties stay in the order in which they first reported. */
function sorted(
  conductors: readonly Conductor[],
  given: Query,
  minor: number,
): readonly Conductor[] {
  const isSortable = (key: string) => (Object.hasOwn(SORT_KEYS, key) ? 1 : undefined);
  const { field, descending } = orderIn(given, isSortable, minor);
  const valueOf = field === null ? undefined : SORT_KEYS[field];
  const ascending =
    valueOf === undefined
      ? conductors
      : conductors.toSorted((a, b) =>
          valueOf(a) < valueOf(b) ? -1 : Number(valueOf(a) > valueOf(b)),
        );
  return descending ? ascending.toReversed() : ascending;
}

function assertDriverType(type: string | undefined): void {
  if (!DRIVER_TYPES.includes(type))
    throw new BadRequestError('"type" filter must be one of "classic" or "dynamic", if specified.');
}
