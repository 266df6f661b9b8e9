import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Stores } from '../ports/stores.js';
import { memoryStores } from './empty-stores.js';
import { EVERYTHING, uuidOf } from './fixtures.js';
import { listRule, type ListRule } from './lists-by-readers.js';

describe('the check that lists are passed to readers', () => {
  let stores: Stores;
  let rule: ListRule;

  beforeEach(async () => {
    rule = listRule();
    stores = rule.watched(await memoryStores());
  });

  afterEach(() => stores.close());

  const within = (method: string, work: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const app = rule.watching(() => {
        work().then(resolve, reject);
      });
      const request = new IncomingMessage(new Socket());
      app(Object.assign(request, { method, url: '/v1/x' }), new ServerResponse(request));
    });
  const list = () => stores.nodes.list(EVERYTHING);

  it('fails a route that reads a list without passing it to a reader', async () => {
    await expect(within('GET', list)).rejects.toThrow('GET /v1/x reads a list');
    await expect(within('GET', () => stores.resources.ports.list(EVERYTHING))).rejects.toThrow(
      'GET /v1/x reads a list',
    );
  });

  it('permits lists that a reader returned, short lists, and lists for a write', async () => {
    const request = { method: 'GET', target: '/v1/x', headers: {}, body: Buffer.alloc(0) };
    const options = { tenant: 'a', signal: new AbortController().signal };
    const given = async () => {
      await rule.readers.read(request, options);
      return list();
    };
    await expect(within('GET', given)).resolves.toEqual([]);
    const where = [{ field: 'node_uuid', op: 'eq', value: uuidOf(1) }] as const;
    const short = () => stores.resources.ports.list({ ...EVERYTHING, where });
    await expect(within('GET', short)).resolves.toEqual([]);
    await expect(within('PATCH', list)).resolves.toEqual([]);
  });
});
