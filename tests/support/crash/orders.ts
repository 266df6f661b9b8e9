import { randomUUID } from 'node:crypto';
import { startStubBmc, type StubBmc } from '../../../services/conductor/src/testing/stub-bmc.js';
import { type FleetNode } from '../fleet.js';
import { newMac } from '../node-parts.js';
import { type Tenure } from '../tenure.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A node with an order of its own. */
export interface Subject {
  readonly order: Order;
  readonly node: FleetNode;
  readonly ports: readonly Fields[];
  /** A VIF that no other node has. */
  readonly vif: string;
  readonly bmc: StubBmc | undefined;
}

/** Fields of a node as the API shows them; a pattern for a sentence. */
export type NodeView = Readonly<Record<string, unknown>>;

export type Ending = 'before' | 'done';

/** Further checks of the end: complaints, none when all is well. */
export type Check = (
  tenure: Tenure,
  subject: Subject,
  ending: Ending,
) => Promise<readonly string[]> | readonly string[];

/** An order, and what is promised of it, whenever the conductor dies. */
export interface Order {
  readonly name: string;
  /** The node that gets it. */
  readonly node: Fields;
  /** Has an instance. */
  readonly isInstance?: true;
  readonly ports?: (subject: { readonly vif: string }) => readonly Fields[];
  /** A machine behind a BMC of its own. */
  readonly machine?: (bmc: StubBmc) => void;
  readonly ask: (subject: Subject) => { readonly line: string; readonly body?: unknown };
  /** The answer when nobody dies. */
  readonly answer: number;
  /** The number of writes that make it durable: from then on it is carried out, before that it has no effect. */
  readonly writtenWith: number;
  readonly before: NodeView;
  readonly done: NodeView;
  /** The node rests in the middle of its work. */
  readonly isWaiting?: true;
  readonly check?: Check;
}

type OrderRequest = Pick<Order, 'ask' | 'answer' | 'writtenWith'>;

/** A fresh node for an order. */
export async function subjectFor(order: Order): Promise<Subject> {
  const uuid = randomUUID();
  const vif = randomUUID();
  const bmc = order.machine === undefined ? undefined : await startStubBmc();
  if (bmc !== undefined) order.machine?.(bmc);
  const driver =
    bmc === undefined
      ? { driver: 'fake-hardware' }
      : {
          driver: 'redfish',
          driver_info: bmc.driverInfo,
        };
  const ports = (order.ports?.({ vif }) ?? []).map((port) => ({
    uuid: randomUUID(),
    node_uuid: uuid,
    address: newMac(),
    ...port,
  }));
  const instance = order.isInstance === true && { instance_uuid: randomUUID() };
  const node = { uuid, name: `crash-${uuid}`, ...driver, ...order.node, ...instance };
  return { order, node, ports, vif, bmc };
}

/** An order by `PUT …/states/power`. */
export const power = (target: string): Pick<Order, 'ask' | 'answer'> => ({
  ask: put('states/power', { target }),
  answer: 202,
});

/** An order by `PUT …/states/provision`. */
export const provision = (target: string, more: Fields = {}): OrderRequest => ({
  ask: put('states/provision', { target, ...more }),
  answer: 202,
  // the lock, and the order under it
  writtenWith: 2,
});

/** A change by `PUT …/states/…`. */
export const change = (what: string, body: Fields): OrderRequest => ({
  ask: put(`states/${what}`, body),
  answer: 202,
  writtenWith: 2,
});

export const maintenance = (verb: 'PUT' | 'DELETE'): OrderRequest => ({
  ask: ({ node: { uuid } }) => ({ line: `${verb} /v1/nodes/${uuid}/maintenance` }),
  answer: 202,
  writtenWith: 1,
});

const put =
  (what: string, body: unknown): Order['ask'] =>
  ({ node: { uuid } }) => ({ line: `PUT /v1/nodes/${uuid}/${what}`, body });
