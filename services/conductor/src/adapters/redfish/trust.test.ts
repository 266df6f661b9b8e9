import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NodeRecord } from '@tenure/contracts';
import { deadlineIn } from '../../deadline.js';
import { type PowerStep } from '../../domain/power.js';
import { type HardwareDriver } from '../../ports/hardware-driver.js';
import { createTestCertificate } from '../../testing/certificates.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { STUB_SYSTEM, type StubBmc } from '../../testing/stub-bmc.js';

const ON = { goal: 'power on', soft: false } as const;

let bench: RedfishBench;
let bmc: StubBmc;
let driver: HardwareDriver;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc, driver } = bench);
});

afterEach(async () => {
  await bench.close();
});

const power = (node: NodeRecord, step: PowerStep, ms = 2000): Promise<string> =>
  driver.setPowerState(node, step, deadlineIn(ms));

describe('certificates', () => {
  const certificate = createTestCertificate();

  it('are not got round by a redirect to http: neither there nor to the same address', async () => {
    const secure = await bench.openBmc(certificate);
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

  it('accepts the CA that the node names', async () => {
    const secure = await bench.openBmc(certificate);
    const node = aRedfishNode(secure, {
      redfish_verify_ca: bench.caFile('ca.pem', certificate.cert),
    });
    expect(await power(node, ON)).toBe('power on');
  });

  it('refuses a certificate of another CA', async () => {
    const secure = await bench.openBmc(certificate);
    const node = aRedfishNode(secure, {
      redfish_verify_ca: bench.caFile('other.pem', createTestCertificate().cert),
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
      const secure = await bench.openBmc(certificate);
      expect(
        await failureOf(power(aRedfishNode(secure, { redfish_verify_ca: verify }), ON)),
      ).toMatchObject({ kind: 'tls' });
    },
  );

  it('checks nothing when redfish_verify_ca is false', async () => {
    expect(await power(aRedfishNode(await bench.openBmc(certificate)), ON)).toBe('power on');
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
      driver.validate(aRedfishNode(bmc, { redfish_verify_ca: bench.caFile('x', 'secret words') })),
    );
    expect(failure).toMatchObject({
      kind: 'settings',
      message: 'redfish_verify_ca does not name a usable CA file',
    });
  });
});
