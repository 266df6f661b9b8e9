import { availableNode, type FleetNode } from '../fleet.js';
import { inProject, inSystem, newProject, type Persona } from '../personas.js';

/** The owner of the machines, and the callers. */
export interface Cast {
  readonly project: string;
  readonly owner: Persona;
  readonly ownersReader: Persona;
  readonly lessee: Persona;
  readonly stranger: Persona;
  readonly systemReader: Persona;
  readonly systemAdmin: Persona;
}

/** The machines that the callers of a load use: each writes to machines that no other caller writes to. */
export interface Fleet {
  /** Only read. */
  readonly readable: readonly FleetNode[];
  readonly leased: FleetNode;
  readonly written: readonly FleetNode[];
  readonly powered: readonly FleetNode[];
  /** Of one resource class, fewer than those that want one. */
  readonly pool: readonly FleetNode[];
  readonly forServers: FleetNode;
  readonly foreign: FleetNode;
}

export function newCast(label: string): Cast {
  const project = newProject(label);
  return {
    project,
    owner: inProject(project, 'member'),
    ownersReader: inProject(project, 'reader'),
    lessee: inProject(`${project}-lessee`, 'member'),
    stranger: inProject(`${project}-stranger`, 'admin'),
    systemReader: inSystem('reader'),
    systemAdmin: inSystem('admin'),
  };
}

/** Resource classes are of letters, digits and underscores. */
export const classOf = (project: string, what: string): string =>
  `${project}-${what}`.replaceAll(/[^a-z0-9]/gu, '_');

export function newFleet({ project }: Cast): Fleet {
  const node = (what: string, fields = {}): FleetNode =>
    availableNode(`${project}-${what}`, { owner: project, resource_class: 'kept', ...fields });
  return {
    readable: [node('readable-0'), node('readable-1')],
    leased: node('leased', { lessee: `${project}-lessee` }),
    written: [node('written-0'), node('written-1')],
    powered: [node('powered-0'), node('powered-1')],
    pool: [0, 1].map((n) =>
      node(`pool-${String(n)}`, { resource_class: classOf(project, 'pool') }),
    ),
    forServers: node('server', { resource_class: classOf(project, 'server') }),
    foreign: node('foreign', { owner: `${project}-elsewhere` }),
  };
}

export const nodesOf = (fleet: Fleet): readonly FleetNode[] => [
  ...fleet.readable,
  fleet.leased,
  ...fleet.written,
  ...fleet.powered,
  ...fleet.pool,
  fleet.forServers,
  fleet.foreign,
];
