import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRedfishDriver } from '../adapters/hardware-driver-redfish.js';
import { type BmcDirectory, createBmcDirectory } from '../adapters/redfish/bmc-directory.js';
import { type HardwareDriver } from '../ports/hardware-driver.js';
import { startStubBmc, type StubBmc } from './stub-bmc.js';

const LIMITS = { connectMs: 300, callMs: 400, maxAnswerBytes: 100_000 };
const PACE = { firstPollMs: 10, slowestPollMs: 50, doubtMs: 300, busyMs: 20 };

/** A redfish driver, a stub BMC to try it on, and a directory for CA files. */
export class RedfishBench {
  readonly driver: HardwareDriver;
  readonly directory: BmcDirectory;
  readonly bmc: StubBmc;
  readonly #caDirectory: string;
  readonly #stubs: StubBmc[];

  private constructor(bmc: StubBmc) {
    this.bmc = bmc;
    this.#stubs = [bmc];
    this.#caDirectory = mkdtempSync(path.join(os.tmpdir(), 'tenure-ca-'));
    const caDirectory = this.#caDirectory;
    this.directory = createBmcDirectory({ limits: LIMITS, observe: () => undefined, caDirectory });
    this.driver = createRedfishDriver({ directory: this.directory, caDirectory, pace: PACE });
  }

  static async open(): Promise<RedfishBench> {
    return new RedfishBench(await startStubBmc());
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

/** What some work failed with. */
export const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
    return 'no failure';
  } catch (error) {
    return error;
  }
};
