import { type Cast, type Fleet, nodesOf } from './callers.js';
import { type Call, type Client } from './load.js';

interface NodeView {
  readonly uuid?: string;
  readonly owner?: string;
}

const PATCH_EXTRA = [{ op: 'add', path: '/extra/by', value: 'nobody' }];
const POWER_ON = { target: 'power on' };

/** Reads, and tries what is not allowed: every answer is predictable, for no caller changes the owners of the machines. */
export function readers(cast: Cast, fleet: Fleet): readonly Client[] {
  const own = nodesOf(fleet).filter(({ owner }) => owner === cast.project);
  const [view] = fleet.readable;
  if (view === undefined) throw new Error('a fleet without nodes');
  const path = `/v1/nodes/${view.uuid}`;
  const asOwner = async (call: Call): Promise<void> => {
    await call(cast.owner, `GET ${path}`, {
      status: 200,
      complaint: isNode(view.uuid, cast.project),
    });
    await call(cast.owner, 'GET /v1/nodes?fields=uuid,owner', {
      status: 200,
      complaint: isExactly(own.map(({ uuid }) => uuid)),
    });
    await call(cast.ownersReader, `PATCH ${path}`, { status: 403, body: PATCH_EXTRA });
    await call(cast.ownersReader, `PUT ${path}/states/power`, { status: 403, body: POWER_ON });
    await call(cast.owner, `GET /v1/nodes/${fleet.foreign.uuid}`, { status: 404 });
  };
  const asOthers = async (call: Call): Promise<void> => {
    await call(cast.stranger, `GET ${path}`, { status: 404 });
    await call(cast.stranger, 'GET /v1/nodes', { status: 200, complaint: isExactly([]) });
    await call(cast.stranger, `PATCH ${path}`, { status: 404, body: PATCH_EXTRA });
    await call(cast.stranger, `PUT ${path}/states/power`, { status: 404, body: POWER_ON });
    await call(cast.lessee, 'GET /v1/nodes', {
      status: 200,
      complaint: isExactly([fleet.leased.uuid]),
    });
    await call(cast.lessee, `GET /v1/nodes/${fleet.leased.uuid}`, { status: 200 });
    await call(cast.lessee, `GET ${path}`, { status: 404 });
    await call(cast.systemReader, 'GET /v1/nodes?fields=uuid,owner', {
      status: 200,
      complaint: isExactly(nodesOf(fleet).map(({ uuid }) => uuid)),
    });
    await call(cast.systemReader, `PATCH ${path}`, { status: 403, body: PATCH_EXTRA });
    await call(cast.systemAdmin, `GET ${path}/states`, { status: 200 });
  };
  return [asOwner, asOthers];
}

const isNode =
  (uuid: string, owner: string) =>
  (json: unknown): string | undefined => {
    const view = json as NodeView;
    return view.uuid === uuid && view.owner === owner ? undefined : `shows ${String(view.uuid)}`;
  };

function isExactly(uuids: readonly string[]) {
  const wanted = uuids.toSorted().join();
  return (json: unknown): string | undefined => {
    const found = listed(json).join();
    return found === wanted ? undefined : `lists ${found} instead of ${wanted}`;
  };
}

const listed = (json: unknown): readonly string[] =>
  (json as { readonly nodes: readonly NodeView[] }).nodes.map(({ uuid }) => uuid ?? '').toSorted();
