import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Clients, startClients } from '../support/clients.js';
import { availableNode } from '../support/fleet.js';
import { type Answer, ask, faultString } from '../support/http-client.js';
import { inProject, newProject } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { eventually } from '../support/wait.js';

// Refusals of the gateway while a service does not answer, and its recovery after the service continues.

const QUEUE = 4;
const noisyProject = newProject('noisy');
const quietProject = newProject('quiet');
const noisy = inProject(noisyProject, 'member');
const quiet = inProject(quietProject, 'reader');

const ownNode = availableNode(newProject('node'), { owner: noisyProject });

let tenure: Tenure;
let clients: Clients;

beforeAll(async () => {
  tenure = await startTenure('admission', {
    GATEWAY_ADMISSION_MAX_MS: '20',
    GATEWAY_ADMISSION_QUEUE: String(QUEUE),
  });
  clients = startClients(tenure);
  const others = availableNode(newProject('node'), { owner: quietProject });
  await tenure.importDocument({ nodes: [ownNode, others] });
});

afterAll(async () => {
  clients.stop();
  await tenure.stop();
});

function signal(name: NodeJS.Signals): void {
  const pid = tenure.pidOf('inventory');
  if (pid === undefined) throw new Error('no inventory listens');
  process.kill(pid, name);
}
const list = (who: typeof noisy): Promise<Answer> => ask(tenure, who, 'GET /v1/nodes');
const summaryOf = ({ status, headers, text }: Answer): unknown => [
  status,
  headers['retry-after'],
  faultString(text),
];

describe('while the inventory is frozen', () => {
  it('a project gets 429 above its share, and other projects soon get an error', async () => {
    expect([(await list(noisy)).status, (await list(quiet)).status]).toEqual([200, 200]);
    signal('SIGSTOP');
    try {
      const began = performance.now();
      const many = Array.from({ length: 30 }, () => list(noisy));
      const other = list(quiet);
      const refused = (await Promise.all(many)).map(summaryOf);
      expect(refused).toContainEqual([
        429,
        '1',
        'Too many requests of this project are being served; try again shortly.',
      ]);
      expect([503, 504]).toContain((await other).status);
      expect(performance.now() - began).toBeLessThan(15_000);
    } finally {
      signal('SIGCONT');
    }
  });

  it('python-ironicclient, which fails on Retry-After, gets 503 and retries', async () => {
    signal('SIGSTOP');
    const others = Array.from({ length: 30 }, () => list(noisy));
    const command = clients.osc(noisy, ...'baremetal node list -f value -c Name'.split(' '));
    const headers = { 'User-Agent': 'python-ironicclient' };
    const refused = await Promise.all(
      Array.from({ length: 10 }, () => ask(tenure, noisy, 'GET /v1/nodes', { headers })),
    );
    signal('SIGCONT');
    await Promise.all(others);
    expect(refused.map(({ status }) => status)).not.toContain(429);
    expect(refused.map((answer) => answer.headers['retry-after'])).not.toContain('1');
    expect(await command).toMatchObject({ code: 0, stdout: `${ownNode.name}\n` });
  });

  it('and requests succeed within five seconds after it continues', async () => {
    const statuses = await eventually(
      async () => [(await list(noisy)).status, (await list(quiet)).status],
      (found) => found.every((status) => status === 200),
      { within: 5000, what: 'answers' },
    );
    expect(statuses).toEqual([200, 200]);
  });
});

describe('a body of more than 128 KiB', () => {
  it('is refused with 413 where a record is created or changed', async () => {
    const body = [{ op: 'add', path: '/extra/a', value: 'x'.repeat(200_000) }];
    const { status, text } = await ask(tenure, noisy, 'PATCH /v1/nodes/any', { body });
    expect(status).toBe(413);
    expect(faultString(text)).toBe('The request body is larger than 131072 bytes.');
  });

  it('is refused before a byte of it has been sent', async () => {
    const patch = request(`${tenure.url}/v1/nodes/any`, {
      method: 'PATCH',
      headers: {
        'X-Auth-Token': await tenure.token(noisy),
        'Content-Type': 'application/json',
        'Content-Length': 131_073,
      },
    });
    patch.flushHeaders();
    const [answer] = (await once(patch, 'response')) as [IncomingMessage];
    patch.on('error', () => undefined).destroy();
    expect(answer.statusCode).toBe(413);
  });
});
