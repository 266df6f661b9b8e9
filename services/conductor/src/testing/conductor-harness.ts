import { type NodeRecord } from '@tenure/contracts';
import { createLogger, type Logger } from '@tenure/process';
import { createFakeDriver } from '../adapters/hardware-driver-fake.js';
import { createRedfishDriver } from '../adapters/hardware-driver-redfish.js';
import { type BmcDirectory, createBmcDirectory } from '../adapters/redfish/bmc-directory.js';
import { type Conductor, createConductor } from '../conductor.js';
import { orderOf } from '../domain/provision/order.js';
import { createDriverOf } from '../drivers.js';
import { type DriverOf, type HardwareDriver } from '../ports/hardware-driver.js';
import { aboutNode, ownBehalf } from '../work/behalf.js';
import { FakeInventory } from './fake-inventory.js';
import { FakeParts } from './fake-parts.js';
import { startStubBmc, type StubBmc } from './stub-bmc.js';

export const HOST = 'conductor-1';

/** A node on which nothing is under way, and nothing went wrong. */
export const AT_REST = { reservation: null, target_provision_state: null, last_error: null };

export type ProvisionBody = Parameters<typeof orderOf>[0];

const LIMITS = { commandMs: 1500, changeMs: 800, reserveMs: 500, maxRunning: 100 };
const BMC_LIMITS = { connectMs: 200, callMs: 300, maxAnswerBytes: 100_000 };
const PACE = { firstPollMs: 10, slowestPollMs: 40, doubtMs: 200, busyMs: 20 };

interface Named {
  readonly hostname: string;
  readonly conductorGroup: string;
}

/** One life of a conductor process: what it does not write down is gone with it. */
export class ConductorHarness {
  readonly inventory: FakeInventory;
  readonly parts: FakeParts;
  readonly conductor: Conductor;
  readonly driverOf: DriverOf;
  readonly drivers: readonly HardwareDriver[];
  readonly logger: Logger;
  /** Everything logged. */
  readonly lines: string[] = [];
  /** Everything counted: `<driver> <outcome>` of power commands, outcomes of the sync. */
  readonly outcomes: string[] = [];
  readonly #stop = new AbortController();
  readonly #directory: BmcDirectory;
  readonly #stubs: StubBmc[] = [];

  constructor(
    inventory: FakeInventory = new FakeInventory(),
    parts: FakeParts = new FakeParts(inventory),
    { hostname = HOST, conductorGroup = '' }: Partial<Named> = {},
  ) {
    this.inventory = inventory;
    this.parts = parts;
    this.logger = createLogger('conductor', 'debug', {
      write: (line: string) => {
        this.lines.push(line);
      },
    });
    this.#directory = createBmcDirectory({
      limits: BMC_LIMITS,
      observe: () => undefined,
      caDirectory: undefined,
    });
    const redfish = createRedfishDriver({
      directory: this.#directory,
      caDirectory: undefined,
      pace: PACE,
    });
    this.drivers = [createFakeDriver(), redfish];
    this.driverOf = createDriverOf(this.drivers);
    this.conductor = createConductor({
      inventory,
      leaseBook: inventory.leases,
      provisioningPorts: this.parts,
      driverOf: this.driverOf,
      drivers: this.drivers,
      hostname,
      conductorGroup,
      logger: this.logger,
      metrics: {
        power: (driver, outcome) => {
          this.outcomes.push(`${driver} ${outcome}`);
        },
        provision: (driver, outcome) => {
          this.outcomes.push(`${driver} ${outcome}`);
        },
        leases: {
          begun: () => undefined,
          over: () => undefined,
          outcome: (outcome) => {
            this.outcomes.push(`lease ${outcome}`);
          },
        },
        bmc: () => undefined,
        sync: (outcome) => {
          this.outcomes.push(outcome);
        },
      },
      stopping: this.#stop.signal,
      limits: LIMITS,
    });
  }

  async openBmc(): Promise<StubBmc> {
    const stub = await startStubBmc();
    this.#stubs.push(stub);
    return stub;
  }

  /** Asks for a power change as the gateway would. */
  accept(node: NodeRecord, target: string, timeoutSeconds: number | null = null): Promise<void> {
    const behalf = aboutNode(ownBehalf('baremetal:node:set_power_state'), node);
    return this.conductor.power.accept(
      behalf,
      { uuid: node.uuid, ident: node.uuid },
      { target, timeoutSeconds },
    );
  }

  /** Asks for a provision verb as the gateway would, at a version that knows every verb. */
  provision(node: NodeRecord, body: ProvisionBody): Promise<void> {
    const behalf = aboutNode(ownBehalf('baremetal:node:set_provision_state'), node);
    return this.conductor.provision.accept(behalf, node.uuid, orderOf(body, 109));
  }

  /** Asks for a provision verb; the record once it is carried out. */
  async done(node: NodeRecord, body: ProvisionBody): Promise<NodeRecord> {
    await this.provision(node, body);
    return this.settled(node);
  }

  /** The record once nothing is running any more. */
  async settled(node: NodeRecord): Promise<NodeRecord> {
    await this.idle();
    return this.inventory.node(node.uuid);
  }

  /** Resolves when nothing is running any more. */
  async idle(): Promise<void> {
    const { power, changes, documents, provision, leases } = this.conductor;
    await leases.idle();
    await Promise.all([power.idle(), changes.idle(), documents.idle(), provision.idle()]);
  }

  /** Stops as SIGTERM does when the time is over. */
  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.idle();
    await this.#directory.close();
    await Promise.all(this.#stubs.map((stub) => stub.close()));
  }
}
