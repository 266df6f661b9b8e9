import { mkdirSync, mkdtempSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SupervisedPart } from './supervisor.js';

// Ready at once, and exits on any other request.
const PART = `require('node:http').createServer((request, response) => {
  if (request.url !== '/readyz') process.exit(1);
  response.end();
}).listen(Number(process.env.PORT), '127.0.0.1');`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'supervisor-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // a TCP server's address
      server.close(() => {
        resolve(port);
      });
    });
  });

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300 && !(await isTrue()); tries += 1) await sleep(50);
}

describe('a part that is supervised', () => {
  it('is started again once its log can be opened, and the supervisor lives until then', async () => {
    const port = await freePort();
    const script = path.join(directory, 'part.cjs');
    writeFileSync(script, PART);
    const said: string[] = [];
    const env = { PORT: String(port) };
    const part = new SupervisedPart(
      { name: 'pdp', script, port, adminPort: port, env },
      { logDir: directory, say: (line) => said.push(line) },
    );
    const ask = (page: string): Promise<boolean> =>
      fetch(`http://127.0.0.1:${String(port)}/${page}`).then(
        ({ ok }) => ok,
        () => false,
      );
    await part.start();
    try {
      // No file can be opened here, as on a read-only file system.
      const log = path.join(directory, 'pdp.log');
      unlinkSync(log);
      mkdirSync(log);
      await ask('end');
      await until(() => said.some((line) => line.startsWith('pdp cannot be started: ')));
      rmdirSync(log);
      await until(() => ask('readyz'));
      expect(await ask('readyz')).toBe(true);
      expect(said[0]).toBe('pdp ended (status 1); starting it again');
      expect(said[1]).toMatch(/^pdp cannot be started: Error: EISDIR/u);
    } finally {
      await part.stop();
    }
  }, 60_000);
});
