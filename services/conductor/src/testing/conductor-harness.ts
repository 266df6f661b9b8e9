import { type NodeRecord, type Subject } from '@tenure/contracts';
import { createLogger, type Logger } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';
import { FakeInventory } from '@tenure/testing';
import { createFakeDriver } from '../adapters/hardware-driver-fake.js';
import { createRedfishDriver } from '../adapters/hardware-driver-redfish.js';
import { hashBySha512Crypt } from '../adapters/hash-password-crypt.js';
import { type BmcDirectory, createBmcDirectory } from '../adapters/redfish/bmc-directory.js';
import { aboutNode } from '../application/about-node.js';
import { type Conductor, createConductor } from '../application/conductor.js';
import { type ConductorMetrics } from '../application/metrics.js';
import {
  createOverdueWatch,
  overdueRoundMs,
  type OverdueWatch,
  WAIT_LIMITS,
  type WaitLimits,
} from '../application/overdue-watch.js';
import { POWER_SYNC_LIMITS, type PowerSyncLimits } from '../application/power-sync.js';
import { orderOf } from '../domain/provision/order.js';
import { createDriverOf } from '../drivers.js';
import { type DriverOf, type HardwareDriver } from '../ports/hardware-driver.js';
import { FakeParts } from './fake-parts.js';
import { StubAgent } from './stub-agent.js';
import { startStubBmc, type StubBmc } from './stub-bmc.js';

export const HOST = 'conductor-1';

/** A node on which nothing is under way, and nothing went wrong. */
export const AT_REST = { reservation: null, target_provision_state: null, last_error: null };

export type ProvisionBody = Parameters<typeof orderOf>[0];

/** A member of a project; of none, the system's administrator. */
const memberOf = (project: string | null): Subject => ({
  user_id: 'ann',
  project_id: project,
  system_scope: project === null ? 'all' : null,
  domain_id: null,
  roles: ['member'],
});

const LIMITS = { commandMs: 3000, changeMs: 1600, reserveMs: 500 };
const SYNC_LIMITS = { ...POWER_SYNC_LIMITS, quickMs: 1500, slowMs: 3000 };
const BMC_LIMITS = { connectMs: 5000, callMs: 5000, maxAnswerBytes: 100_000 };
const PACE = { firstPollMs: 10, slowestPollMs: 40, uncertainMs: 200, busyMs: 20 };

interface Settings extends PowerSyncLimits {
  /** Looks over the shoulder of the drivers. */
  readonly wrap: (driver: HardwareDriver) => HardwareDriver;
  readonly hostname: string;
  readonly conductorGroup: string;
  readonly advertisedUrl: string;
  readonly maxWorkers: number;
  /** Milliseconds that a BMC is given to answer. */
  readonly bmcCallMs: number;
}

/** One run of a conductor process: state that it does not persist is lost with it. */
export class ConductorHarness {
  readonly inventory: FakeInventory;
  readonly parts: FakeParts;
  readonly hostname: string;
  readonly conductor: Conductor;
  readonly driverOf: DriverOf;
  readonly drivers: readonly HardwareDriver[];
  readonly logger: Logger;
  /** Everything logged. */
  readonly lines: string[] = [];
  /** Everything counted: `<driver> <outcome>` of power commands, outcomes of the sync. */
  readonly outcomes: string[] = [];
  /** Every transition counted: `<from> -> <to>`. */
  readonly transitions: string[] = [];
  /** Rounds of the power sync. */
  readonly rounds: Parameters<ConductorMetrics['sync']['round']>[0][] = [];
  lockCount = 0;
  readonly #stop = new AbortController();
  readonly #directory: BmcDirectory;
  readonly #stubs: StubBmc[] = [];
  readonly #agents: StubAgent[] = [];

  constructor(
    inventory: FakeInventory = new FakeInventory(),
    parts: FakeParts = new FakeParts(inventory),
    {
      hostname = HOST,
      conductorGroup = '',
      advertisedUrl = 'http://127.0.0.1:9',
      maxWorkers = 100,
      bmcCallMs = BMC_LIMITS.callMs,
      wrap = (driver) => driver,
      ...syncLimits
    }: Partial<Settings> = {},
  ) {
    this.inventory = inventory;
    this.hostname = hostname;
    this.parts = parts;
    this.logger = createLogger('conductor', 'debug', {
      write: (line: string) => {
        this.lines.push(line);
      },
    });
    this.#directory = createBmcDirectory({
      limits: { ...BMC_LIMITS, callMs: bmcCallMs },
      observe: () => undefined,
      caDirectory: '/no/such/directory',
      guard: () => true,
    });
    const redfish = createRedfishDriver({
      directory: this.#directory,
      pace: PACE,
    });
    this.drivers = [createFakeDriver(), redfish].map(wrap);
    this.driverOf = createDriverOf(this.drivers);
    this.conductor = createConductor({
      inventory,
      leaseBook: inventory.leases,
      handovers: inventory.handovers,
      provisioningPorts: this.parts,
      driverOf: this.driverOf,
      drivers: this.drivers,
      hostname,
      conductorGroup,
      advertisedUrl,
      maxWorkers,
      heartbeatTimeoutSeconds: 60,
      logger: this.logger,
      metrics: this.#metrics(),
      stopping: this.#stop.signal,
      limits: LIMITS,
      syncLimits: { ...SYNC_LIMITS, ...syncLimits },
    });
  }

  /** @param elapsedMs the clock that its rounds are measured with */
  overdueWatch(elapsedMs: () => number, limits: WaitLimits = WAIT_LIMITS): OverdueWatch {
    const { inventory, logger } = this;
    const { locks, membership } = this.conductor;
    const { handovers } = inventory;
    const now = (): Date => new Date();
    const parts = { inventory, handovers, locks, membership, logger };
    return createOverdueWatch({ ...parts, limits, now, elapsedMs });
  }

  /** Runs rounds of the overdue watch at a conductor's interval, until nodes were watched for this many seconds. */
  async overdueFor(seconds: number, limits: WaitLimits = WAIT_LIMITS): Promise<void> {
    const clock = { ms: 0 };
    const watch = this.overdueWatch(() => clock.ms, limits);
    for (;;) {
      await watch.round();
      if (clock.ms >= seconds * 1000) return;
      clock.ms = Math.min(clock.ms + overdueRoundMs(limits), seconds * 1000);
    }
  }

  #metrics(): ConductorMetrics {
    return {
      power: (driver, outcome) => {
        this.outcomes.push(`${driver} ${outcome}`);
      },
      provision: (driver, outcome) => {
        this.outcomes.push(`${driver} ${outcome}`);
      },
      bmc: () => undefined,
      sync: {
        visit: (outcome) => {
          this.outcomes.push(outcome);
        },
        round: (round) => {
          this.rounds.push(round);
        },
      },
      transitions: {
        provision: ({ from, to }) => {
          this.transitions.push(`${from} -> ${to}`);
        },
        power: ({ from, to }) => {
          this.transitions.push(`${from ?? 'unknown'} -> ${to ?? 'unknown'}`);
        },
      },
      locks: (count) => {
        this.lockCount = count;
      },
      leases: {
        begun: () => undefined,
        over: () => undefined,
        outcome: (outcome) => {
          this.outcomes.push(`lease ${outcome}`);
        },
      },
      media: {
        answered: () => undefined,
        sent: () => undefined,
        fetched: () => undefined,
      },
      handovers: {
        open: () => undefined,
        outcome: (outcome) => {
          this.outcomes.push(`handover ${outcome}`);
        },
      },
    };
  }

  async openAgent(): Promise<StubAgent> {
    const stub = await new StubAgent().listen();
    this.#agents.push(stub);
    return stub;
  }

  /** Reports as the agent of a node does, with the secret of the medium that it was booted from. The record once nothing is running any more. */
  async beat(node: NodeRecord, { url }: StubAgent): Promise<NodeRecord> {
    const context = newCallContext('baremetal:node:ipa_heartbeat');
    const { agents } = this.conductor;
    await agents.heartbeat(context, {
      ident: node.uuid,
      token: this.parts.media.secretOf(node.uuid),
      from: '127.0.0.1',
      report: { callback_url: url, agent_version: '13.0.0' },
    });
    return this.completed(node);
  }

  async openBmc(): Promise<StubBmc> {
    const stub = await startStubBmc();
    this.#stubs.push(stub);
    return stub;
  }

  /** Asks for a power change as the gateway would. */
  accept(node: NodeRecord, target: string, timeoutSeconds: number | null = null): Promise<void> {
    const context = aboutNode(newCallContext('baremetal:node:set_power_state'), node);
    return this.conductor.power.accept(
      context,
      { uuid: node.uuid, ident: node.uuid },
      { target, timeoutSeconds },
    );
  }

  /** Asks for a provision verb as the gateway would for a member of the owner, at a version that knows every verb. */
  provision(node: NodeRecord, body: ProvisionBody, mayWriteLessee = true): Promise<void> {
    const subject = memberOf(node.owner);
    const context = aboutNode(
      newCallContext('baremetal:node:set_provision_state', { subject }),
      node,
    );
    const order = { ...orderOf(body, 109, hashBySha512Crypt), mayWriteLessee };
    return this.conductor.provision.accept(context, node.uuid, order);
  }

  /** Asks for a provision verb; the record once it is carried out. */
  async done(node: NodeRecord, body: ProvisionBody, mayWriteLessee?: boolean): Promise<NodeRecord> {
    await this.provision(node, body, mayWriteLessee);
    return this.completed(node);
  }

  /** The record once nothing is running any more. */
  async completed(node: NodeRecord): Promise<NodeRecord> {
    await this.idle();
    return this.inventory.node(node.uuid);
  }

  /** Resolves when nothing is running any more. */
  async idle(): Promise<void> {
    const { power, changes, documents, provision, sync, handovers } = this.conductor;
    // These hand work to the others.
    await Promise.all([sync.idle(), handovers.idle()]);
    await Promise.all([power.idle(), changes.idle(), documents.idle(), provision.idle()]);
  }

  /** Ends this conductor in the middle of its work; returns one after a restart, with the same records. */
  async restarted(settings: Partial<Settings> = {}): Promise<ConductorHarness> {
    this.stop();
    await this.idle();
    const next = new ConductorHarness(this.inventory, this.parts, settings);
    next.adopt(this);
    return next;
  }

  /** Takes over the stubs from before the restart. */
  adopt(earlier: ConductorHarness): void {
    this.#stubs.push(...earlier.#stubs.splice(0));
    this.#agents.push(...earlier.#agents.splice(0));
  }

  /** Stops as SIGTERM does when the time is over. */
  stop(): void {
    this.#stop.abort();
  }

  async close(): Promise<void> {
    this.stop();
    await this.idle();
    await this.#directory.close();
    await Promise.all([...this.#stubs, ...this.#agents].map((stub) => stub.close()));
  }
}
