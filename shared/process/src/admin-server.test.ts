import { type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { portOf, type Readiness, startAdminServer } from './admin-server.js';
import { createRegistry } from './metrics.js';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const MISSING: Readiness = { ready: false, reason: 'the inventory does not answer' };
const THERE: Readiness = { ready: true, reason: 'ok' };

/** The answer of `/readyz`, and a way to change the readiness behind it. */
async function part() {
  const state = { needs: MISSING, isStopping: false };
  server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    registry: createRegistry('inventory'),
    readiness: () => state.needs,
    isStopping: () => state.isStopping,
  });
  const url = `http://127.0.0.1:${String(portOf(server))}/readyz`;
  const readyz = async (): Promise<readonly [number, string]> => {
    const response = await fetch(url);
    return [response.status, await response.text()];
  };
  return { state, readyz };
}

describe('readiness', () => {
  it('waits for the dependencies of the part', async () => {
    const { state, readyz } = await part();
    expect(await readyz()).toEqual([503, 'the inventory does not answer\n']);
    state.needs = THERE;
    expect(await readyz()).toEqual([200, 'ok\n']);
  });

  it('stays when a shared dependency is lost, and names it', async () => {
    const { state, readyz } = await part();
    state.needs = THERE;
    await readyz();
    state.needs = MISSING;
    expect(await readyz()).toEqual([200, 'degraded: the inventory does not answer\n']);
  });

  it('ends, and returns, with a failure of this replica alone', async () => {
    const { state, readyz } = await part();
    state.needs = THERE;
    await readyz();
    state.needs = { ready: false, reason: 'the store is full', isOwn: true };
    expect(await readyz()).toEqual([503, 'the store is full\n']);
    state.needs = THERE;
    expect(await readyz()).toEqual([200, 'ok\n']);
  });

  it('ends with a stop', async () => {
    const { state, readyz } = await part();
    state.needs = THERE;
    await readyz();
    state.isStopping = true;
    expect(await readyz()).toEqual([503, 'stopping\n']);
  });
});
