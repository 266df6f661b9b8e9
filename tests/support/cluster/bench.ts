import { nodeOf } from '../fleet.js';
import { type Cast, type Fleet, newCast, newFleet, nodesOf } from './callers.js';
import { type Cluster, startCluster } from './cluster.js';
import { type Load, startLoad } from './load.js';
import { readers } from './readers.js';
import { type Report } from './report.js';
import { writers } from './writers.js';

/** A cluster with a fleet, on which several callers work at the same time. */
export interface Bench {
  readonly cluster: Cluster;
  readonly cast: Cast;
  readonly fleet: Fleet;
  readonly load: Load;
  /** Ends the load; what is not as the answers said. */
  readonly untruths: () => Promise<readonly string[]>;
}

export async function openBench(
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Bench> {
  const cluster = await startCluster(name, { settings });
  const cast = newCast(name);
  const fleet = newFleet(cast);
  await cluster.importDocument({ nodes: nodesOf(fleet) });
  const report: Report = { extra: new Map(), doubled: [] };
  const load = startLoad(cluster, [...readers(cast, fleet), ...writers(cast, fleet, report)]);
  return {
    cluster,
    cast,
    fleet,
    load,
    untruths: async () => {
      await load.end();
      return [
        ...report.doubled,
        ...(await missing(cluster, report)),
        ...(await misplaced(cluster, fleet)),
      ];
    },
  };
}

async function missing(cluster: Cluster, report: Report): Promise<readonly string[]> {
  const found = await Promise.all(
    [...report.extra].map(async ([uuid, keys]) => {
      const { extra } = (await nodeOf(cluster, uuid)) as { readonly extra: object };
      return [...keys].filter((key) => !(key in extra)).map((key) => `${uuid}: ${key} is lost`);
    }),
  );
  return found.flat();
}

/** Nodes that an allocation holds that does not know of it, or that nobody holds any more. */
async function misplaced(cluster: Cluster, { pool }: Fleet): Promise<readonly string[]> {
  const nodes = await Promise.all(pool.map(({ uuid }) => nodeOf(cluster, uuid)));
  return nodes
    .filter(({ instance_uuid: i, allocation_uuid: a }) => i !== a)
    .map(({ uuid }) => `${String(uuid)} is half allocated`);
}
