import { type NodeRecord } from '@tenure/contracts';
import { createLogger, type Logger } from '@tenure/process';
import { createFakeDriver } from '../adapters/hardware-driver-fake.js';
import { createRedfishDriver } from '../adapters/hardware-driver-redfish.js';
import { type BmcDirectory, createBmcDirectory } from '../adapters/redfish/bmc-directory.js';
import { type Conductor, createConductor } from '../conductor.js';
import { createDriverOf } from '../drivers.js';
import { type DriverOf } from '../ports/hardware-driver.js';
import { aboutNode, ownBehalf } from '../work/behalf.js';
import { FakeInventory } from './fake-inventory.js';
import { startStubBmc, type StubBmc } from './stub-bmc.js';

export const HOST = 'conductor-1';

const LIMITS = { commandMs: 1500, changeMs: 800, reserveMs: 500, maxRunning: 100 };
const BMC_LIMITS = { connectMs: 200, callMs: 300, maxAnswerBytes: 100_000 };
const PACE = { firstPollMs: 10, slowestPollMs: 40, doubtMs: 200, busyMs: 20 };

/** One life of a conductor process: what it does not write down is gone with it. */
export class ConductorHarness {
  readonly inventory: FakeInventory;
  readonly conductor: Conductor;
  readonly driverOf: DriverOf;
  readonly logger: Logger;
  /** Everything logged. */
  readonly lines: string[] = [];
  /** Everything counted: `<driver> <outcome>` of power commands, outcomes of the sync. */
  readonly outcomes: string[] = [];
  readonly #stop = new AbortController();
  readonly #directory: BmcDirectory;
  readonly #stubs: StubBmc[] = [];

  constructor(inventory: FakeInventory = new FakeInventory()) {
    this.inventory = inventory;
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
    this.driverOf = createDriverOf([createFakeDriver(), redfish]);
    this.conductor = createConductor({
      inventory,
      driverOf: this.driverOf,
      drivers: ['fake-hardware', 'redfish'],
      hostname: HOST,
      conductorGroup: '',
      logger: this.logger,
      metrics: {
        power: (driver, outcome) => {
          this.outcomes.push(`${driver} ${outcome}`);
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

  /** The record once nothing is running any more. */
  async settled(node: NodeRecord): Promise<NodeRecord> {
    await this.conductor.power.idle();
    return this.inventory.node(node.uuid);
  }

  /** Stops as SIGTERM does when the time is over. */
  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.conductor.power.idle();
    await this.#directory.close();
    await Promise.all(this.#stubs.map((stub) => stub.close()));
  }
}
