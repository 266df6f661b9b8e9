import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '../../deadline.js';
import { type PowerStep } from '../../domain/power.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { createTestCertificate } from '../../testing/certificates.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { startStubBmc, STUB_SYSTEM, type StubBmc } from '../../testing/stub-bmc.js';
import { createRedfishDriver } from '../hardware-driver-redfish.js';
import { type BmcDirectory, createBmcDirectory } from './bmc-directory.js';

const ON = { goal: 'power on', soft: false } as const;
const PACE = { firstPollMs: 10, slowestPollMs: 50, doubtMs: 300, busyMs: 20 };

let bmc: StubBmc;
let directory: BmcDirectory;
let driver: HardwareDriver;
let caDirectory: string;
const stubs: StubBmc[] = [];

const open = async (...tls: Parameters<typeof startStubBmc>): Promise<StubBmc> => {
  const stub = await startStubBmc(...tls);
  stubs.push(stub);
  return stub;
};

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
    return 'no failure';
  } catch (error) {
    return error;
  }
};

beforeEach(async () => {
  caDirectory = mkdtempSync(path.join(os.tmpdir(), 'tenure-ca-'));
  bmc = await open();
  directory = createBmcDirectory({
    limits: { connectMs: 300, callMs: 400, maxAnswerBytes: 100_000 },
    observe: () => undefined,
    caDirectory,
  });
  driver = createRedfishDriver({ directory, caDirectory, pace: PACE });
});

afterEach(async () => {
  await directory.close();
  await Promise.all(stubs.splice(0).map((stub) => stub.close()));
  rmSync(caDirectory, { recursive: true });
});

const power = (node: NodeRecord, step: PowerStep, ms = 2000): Promise<string> =>
  driver.setPowerState(node, step, deadlineIn(ms));

describe('certificates', () => {
  const certificate = createTestCertificate();

  it('are not got round by a redirect to http: neither there nor to the same address', async () => {
    const secure = await open(certificate);
    const node = aRedfishNode(secure);
    for (const origin of [bmc.origin, secure.origin.replace('https:', 'http:')]) {
      secure.faults.redirectTo = `${origin}${STUB_SYSTEM}`;
      expect(await failureOf(driver.getPowerState(node, deadlineIn(2000)))).toMatchObject({
        kind: 'redirect',
      });
    }
    expect(bmc.requests).toEqual([]);
    expect(secure.requests.filter(({ path: at }) => at === STUB_SYSTEM)).toHaveLength(2);
  });

  const caFile = (name: string, content: string): string => {
    const file = path.join(caDirectory, name);
    writeFileSync(file, content);
    return file;
  };

  it('accepts the CA that the node names', async () => {
    const secure = await open(certificate);
    const node = aRedfishNode(secure, { redfish_verify_ca: caFile('ca.pem', certificate.cert) });
    expect(await power(node, ON)).toBe('power on');
  });

  it('refuses a certificate of another CA', async () => {
    const secure = await open(certificate);
    const node = aRedfishNode(secure, {
      redfish_verify_ca: caFile('other.pem', createTestCertificate().cert),
    });
    expect(await failureOf(power(node, ON))).toMatchObject({
      kind: 'tls',
      message: 'TLS verification of the BMC failed',
    });
    expect(secure.requests).toEqual([]);
  });

  it.each([[undefined], [true]])(
    'refuses a self-signed certificate when redfish_verify_ca is %p',
    async (verify) => {
      const secure = await open(certificate);
      expect(
        await failureOf(power(aRedfishNode(secure, { redfish_verify_ca: verify }), ON)),
      ).toMatchObject({ kind: 'tls' });
    },
  );

  it('checks nothing when redfish_verify_ca is false', async () => {
    expect(await power(aRedfishNode(await open(certificate)), ON)).toBe('power on');
  });

  it.each(['/etc/passwd', '/dev/zero', '/proc/self/environ', '/no/such/file'])(
    'says nothing about the file %s',
    async (file) => {
      const failure = await failureOf(
        driver.validate(aRedfishNode(bmc, { redfish_verify_ca: file })),
      );
      expect(failure).toMatchObject({
        kind: 'settings',
        message: 'redfish_verify_ca does not name a usable CA file',
      });
    },
  );

  it('says nothing about a file that holds no certificate', async () => {
    const failure = await failureOf(
      driver.validate(aRedfishNode(bmc, { redfish_verify_ca: caFile('x', 'secret words') })),
    );
    expect(failure).toMatchObject({
      kind: 'settings',
      message: 'redfish_verify_ca does not name a usable CA file',
    });
  });
});
