import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestCertificate } from '../../testing/certificates.js';
import { aRedfishNode } from '../../testing/nodes.js';
import { failureOf, RedfishBench } from '../../testing/redfish-bench.js';
import { STUB_SYSTEM, type StubBmc } from '../../testing/stub-bmc.js';

let bench: RedfishBench;
let bmc: StubBmc;

beforeEach(async () => {
  bench = await RedfishBench.open();
  ({ bmc } = bench);
});

afterEach(async () => {
  await bench.close();
});

describe('certificates', () => {
  const certificate = createTestCertificate();

  it('are not got round by a redirect to http: neither there nor to the same address', async () => {
    const secure = await bench.openBmc(certificate);
    const node = aRedfishNode(secure);
    for (const origin of [bmc.origin, secure.origin.replace('https:', 'http:')]) {
      secure.faults.redirectTo = `${origin}${STUB_SYSTEM}`;
      expect(await failureOf(bench.state(node))).toMatchObject({
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
    expect(await bench.power(node)).toBe('power on');
  });

  it('refuses a certificate of another CA', async () => {
    const secure = await bench.openBmc(certificate);
    const node = aRedfishNode(secure, {
      redfish_verify_ca: bench.caFile('other.pem', createTestCertificate().cert),
    });
    expect(await failureOf(bench.power(node))).toMatchObject({
      kind: 'tls',
      message: 'the BMC is unreachable',
    });
    expect(secure.requests).toEqual([]);
  });

  it.each([[undefined], [true]])(
    'refuses a self-signed certificate when redfish_verify_ca is %p',
    async (verify) => {
      const secure = await bench.openBmc(certificate);
      expect(
        await failureOf(bench.power(aRedfishNode(secure, { redfish_verify_ca: verify }))),
      ).toMatchObject({ kind: 'tls' });
    },
  );

  it('checks nothing when redfish_verify_ca is false', async () => {
    expect(await bench.power(aRedfishNode(await bench.openBmc(certificate)))).toBe('power on');
  });

  it.each(['/etc/passwd', '/dev/zero', '/proc/self/environ', '/no/such/file'])(
    'says nothing about the file %s',
    async (file) => {
      const failure = await failureOf(
        bench.driver.validate(bench.node({ redfish_verify_ca: file })),
      );
      expect(failure).toMatchObject({
        kind: 'settings',
        message: 'redfish_verify_ca does not name a usable CA file',
      });
    },
  );

  it('says nothing about a file that holds no certificate', async () => {
    const failure = await failureOf(
      bench.driver.validate(bench.node({ redfish_verify_ca: bench.caFile('x', 'secret text') })),
    );
    expect(failure).toMatchObject({
      kind: 'settings',
      message: 'redfish_verify_ca does not name a usable CA file',
    });
  });
});
