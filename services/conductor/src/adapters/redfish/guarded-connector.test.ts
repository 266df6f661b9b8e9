import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PlaceGuard } from '@tenure/http';
import { deadlineIn } from '@tenure/process';
import { failureOf } from '../../testing/redfish-bench.js';
import { STUB_SYSTEM, startStubBmc, type StubBmc } from '../../testing/stub-bmc.js';
import { createBmcTransport } from './bmc-transport.js';
import { createOpenSockets } from './open-sockets.js';

let bmc: StubBmc;

beforeEach(async () => {
  bmc = await startStubBmc();
});

afterEach(async () => {
  await bmc.close();
});

async function failureAt(origin: string, guard: PlaceGuard): Promise<unknown> {
  const transport = createBmcTransport(origin, {
    trust: { rejectUnauthorized: true },
    guard,
    sockets: createOpenSockets(10),
    limits: { connectMs: 500, callMs: 1000, maxAnswerBytes: 100_000 },
    observe: () => undefined,
  });
  try {
    return await failureOf(
      transport.call({ method: 'GET', path: STUB_SYSTEM }, deadlineIn(15_000)),
    );
  } finally {
    await transport.close();
  }
}

describe('a connection to a BMC', () => {
  it.each(['127.0.0.1', 'localhost'])('is made to %s when the guard allows it', async (host) => {
    const { port } = new URL(bmc.origin);
    const seen: unknown[] = [];
    const guard: PlaceGuard = (address, at) => {
      seen.push(at);
      return address === '127.0.0.1';
    };
    expect(await failureAt(`http://${host}:${port}`, guard)).toBe('no failure');
    expect(new Set(seen)).toEqual(new Set([Number(port)]));
    expect(bmc.connections).toBe(1);
  });

  it.each(['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', 'localhost'])(
    'is not opened to %s when it does not, whatever was checked before',
    async (host) => {
      const { port } = new URL(bmc.origin);
      expect(await failureAt(`http://${host}:${port}`, () => false)).toMatchObject({
        kind: 'unreachable',
        message: 'the BMC is unreachable',
        maybeSent: false,
        cause: { message: 'the connection failed or broke (ENOTFOUND)' },
      });
      expect(bmc.connections).toBe(0);
    },
  );
});
