import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '@tenure/process';
import { createRedfishDriver } from '../adapters/hardware-driver-redfish.js';
import { type BmcDirectory, createBmcDirectory } from '../adapters/redfish/bmc-directory.js';
import { type Attempt } from '../domain/attempt.js';
import { type PowerState, type PowerStep } from '../domain/power.js';
import { type HardwareDriver } from '../ports/hardware-driver.js';
import { FIRST_ATTEMPT } from './jobs.js';
import { aRedfishNode } from './nodes.js';
import { startStubBmc, type StubBmc } from './stub-bmc.js';

// A busy machine answers late. Tests of a BMC that hangs give a deadline of their own.
const LIMITS = { connectMs: 3000, maxAnswerBytes: 100_000 };
const PACE = { firstPollMs: 10, slowestPollMs: 50, uncertainMs: 300, busyMs: 20 };

const ON = { goal: 'power on', soft: false } as const;

/** A redfish driver, a stub BMC to try it on, and a directory for CA files. */
export class RedfishBench {
  readonly driver: HardwareDriver;
  readonly directory: BmcDirectory;
  readonly bmc: StubBmc;
  readonly #caDirectory: string;
  readonly #stubs: StubBmc[];

  private constructor(bmc: StubBmc, callMs: number) {
    this.bmc = bmc;
    this.#stubs = [bmc];
    this.#caDirectory = mkdtempSync(path.join(os.tmpdir(), 'tenure-ca-'));
    const caDirectory = this.#caDirectory;
    this.directory = createBmcDirectory({
      limits: { ...LIMITS, callMs },
      observe: () => undefined,
      caDirectory,
      guard: () => true,
    });
    this.driver = createRedfishDriver({ directory: this.directory, pace: PACE });
  }

  /** @param callMs how long one call to a BMC may take */
  static async open(callMs = 10_000): Promise<RedfishBench> {
    return new RedfishBench(await startStubBmc(), callMs);
  }

  /** A node of the bench's stub. */
  node(info: Readonly<Record<string, unknown>> = {}): NodeRecord {
    return aRedfishNode(this.bmc, info);
  }

  /** Brings a node's power somewhere; `ms` is how long that may take. */
  power(
    node: NodeRecord,
    step: PowerStep & { readonly attempt?: Attempt } = ON,
    ms = 15_000,
  ): Promise<PowerState> {
    const change = { attempt: FIRST_ATTEMPT, ...step };
    return this.driver.setPowerState(node, change, deadlineIn(ms));
  }

  /** Reads a node's power. */
  state(node: NodeRecord, ms = 15_000): Promise<PowerState | null> {
    return this.driver.getPowerState(node, deadlineIn(ms));
  }

  /** Change requests that the bench's stub got, without logins: `PATCH /redfish/v1/…`. */
  changes(): readonly string[] {
    return this.bmc.requests
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/SessionService/'))
      .map(({ method, path }) => `${method} ${path}`);
  }

  /** One more stub, which is closed with the bench. */
  readonly openBmc = async (...tls: Parameters<typeof startStubBmc>): Promise<StubBmc> => {
    const stub = await startStubBmc(...tls);
    this.#stubs.push(stub);
    return stub;
  };

  /** Writes a file into the CA directory; returns its path. */
  caFile(name: string, content: string): string {
    const file = path.join(this.#caDirectory, name);
    writeFileSync(file, content);
    return file;
  }

  async close(): Promise<void> {
    await this.directory.close();
    await Promise.all(this.#stubs.map((stub) => stub.close()));
    rmSync(this.#caDirectory, { recursive: true });
  }
}

/** The error of the work. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'no failure';
  } catch (error) {
    return error;
  }
}
