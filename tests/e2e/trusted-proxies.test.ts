import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ingress, startIngress } from '../support/cluster/ingress.js';
import { runDirectory } from '../support/paths.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';
import { writeUsers } from './callers/users.js';

// Two clients, each with an address of its own, behind an nginx that appends to whatever they say of theirs.

const OLGA = { name: 'olga', password: 'olgas-password', roles: ['member'], project_id: 'p1' };
const GUESSER = '127.0.0.2';
const OWNER = '127.0.0.3';
/** Not behind the proxy. */
const OUTSIDER = '127.0.0.4';
const SPOOFS = [
  OWNER,
  '127.0.0.1',
  '203.0.113.9',
  '203.0.113.9, 127.0.0.1',
  '2001:db8::1',
  'unknown',
  '',
  ',',
  Array<string>(40).fill('127.0.0.1').join(', '),
];

let directory: string;
let tenure: Tenure;
let ingress: Ingress;

beforeAll(async () => {
  mkdirSync(runDirectory, { recursive: true });
  directory = mkdtempSync(path.join(runDirectory, 'proxies-'));
  tenure = await startTenure('trusted-proxies', {
    GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
    GATEWAY_FAILED_LOGINS_PER_MINUTE: '3',
    ...writeUsers(directory, [OLGA]),
  });
  const nginx = path.join(directory, 'nginx');
  ingress = await startIngress(nginx, tenure.ports.gateway, '$proxy_add_x_forwarded_for');
});

afterAll(async () => {
  await ingress.stop();
  await tenure.stop();
});

interface Knock {
  /** Address that the connection comes from. */
  readonly from: string;
  readonly to: string;
  readonly password?: string;
  /** Lines of `X-Forwarded-For`. */
  readonly forwarded?: readonly string[];
}

async function knock({ from, to, password = OLGA.password, forwarded }: Knock): Promise<number> {
  const sent = request(`${to}/v1/nodes`, {
    localAddress: from,
    agent: false,
    timeout: 10_000,
    headers: {
      Authorization: `Basic ${Buffer.from(`${OLGA.name}:${password}`).toString('base64')}`,
      'X-OpenStack-Ironic-API-Version': '1.65',
      ...(forwarded !== undefined && { 'X-Forwarded-For': [...forwarded] }),
    },
  }).end();
  sent.once('timeout', () => sent.destroy(new Error('no answer')));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // what a request emits
  answer.resume();
  return answer.statusCode ?? 0;
}

const loggedAddresses = (): readonly unknown[] => [
  ...new Set(
    tenure
      .log()
      .split('\n')
      .filter((line) => line.includes('"audit":"authentication_failed"'))
      .map((line) => /"address":"([^"]*)"/u.exec(line)?.[1]),
  ),
];

/** Log lines are written a little later. */
async function untilLogged(...addresses: readonly string[]): Promise<void> {
  await eventually(
    () => Promise.resolve(loggedAddresses()),
    (found) => found.length >= addresses.length,
    { what: 'logged address' },
  );
  expect(loggedAddresses()).toEqual(addresses);
}

describe('behind a trusted proxy', () => {
  it('the client that guesses passwords is shut out, whatever it says of its address, and the other is not', async () => {
    const guesses = [];
    for (const password of ['guess-one', 'guess-two', 'guess-three'])
      guesses.push(await knock({ from: GUESSER, to: ingress.url, password }));
    expect(guesses).toEqual([401, 401, 401]);
    for (const spoof of [undefined, ...SPOOFS.map((line) => [line]), SPOOFS])
      expect([
        spoof,
        await knock({ from: GUESSER, to: ingress.url, ...(spoof && { forwarded: spoof }) }),
      ]).toEqual([spoof, 429]);
    expect(await knock({ from: OWNER, to: ingress.url, password: 'mistyped-password' })).toBe(401);
    expect(await knock({ from: OWNER, to: ingress.url, forwarded: [GUESSER] })).toBe(200);
    await untilLogged(GUESSER, OWNER);
  });

  it('or around it: a client that does not come by it is identified by the connection alone', async () => {
    const guesses = [];
    for (const last of [1, 2, 3, 4])
      guesses.push(
        await knock({
          from: OUTSIDER,
          to: tenure.url,
          password: `guess-${last}-of-the-outsider`,
          forwarded: [`203.0.113.${last}`],
        }),
      );
    expect(guesses).toEqual([401, 401, 401, 429]);
    await untilLogged(GUESSER, OWNER, OUTSIDER);
  });
});
