import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  createFairQueue,
  type FairQueue,
  type Slot,
  type Refusal,
  type RequestClass,
} from './fair-queue.js';

let queue: FairQueue;
let limit: number;
/** Requests in the order of their admission. */
let through: string[];
let slots: Map<string, Slot>;
let refusals: Map<string, Refusal>;

beforeEach(() => {
  jest.useFakeTimers();
  limit = 100;
  through = [];
  slots = new Map();
  refusals = new Map();
  queue = createFairQueue({
    limit: () => limit,
    maxOwnLoad: Infinity,
    maxOwn: 4,
    maxWaiting: 10,
    maxWaitMs: 500,
  });
});
afterEach(() => {
  jest.useRealTimers();
});

function record(name: string, answer: Slot | Refusal): void {
  if (typeof answer === 'string') {
    refusals.set(name, answer);
    return;
  }
  through.push(name);
  slots.set(name, answer);
}

function enter(name: string, tenant: string, cost: number, requestClass: RequestClass = 'single') {
  const answer = queue.enter({ requestClass, tenant, cost, load: cost });
  if (answer instanceof Promise)
    void answer.then((one) => {
      record(name, one);
    });
  else record(name, answer);
}

async function leave(name: string, cost = 10): Promise<void> {
  slots.get(name)?.leave(cost);
  await jest.advanceTimersByTimeAsync(0);
}

describe('the load in flight', () => {
  it('stays within the share of the limit that a class may fill', () => {
    for (let number = 0; number < 12; number += 1)
      enter(`r${String(number)}`, `t${String(number)}`, 10);
    expect(through).toHaveLength(9); // 85 of 100 are reached with the ninth
    expect(queue.inFlight()).toBe(90);
    expect(queue.waiting()).toEqual({ urgent: 0, single: 3, list: 0 });
  });

  it('leaves capacity for higher classes, however many other requests wait', () => {
    for (let number = 0; number < 12; number += 1)
      enter(`r${String(number)}`, `t${String(number)}`, 10);
    enter('power', 't', 10, 'urgent');
    expect(through.at(-1)).toBe('power');
  });

  it('always includes one request of each class, even one above the limit', () => {
    enter('huge', 'a', 5000, 'list');
    enter('another', 'b', 5000, 'list');
    enter('single', 'c', 10);
    enter('order', 'd', 10, 'urgent');
    expect(through).toEqual(['huge', 'single', 'order']);
  });

  it('follows the limit down and up again', async () => {
    limit = 10;
    for (const name of ['a', 'b', 'c', 'd']) enter(name, name, 10);
    expect(through).toEqual(['a']);
    limit = 40;
    await leave('a');
    expect(through).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('the next request', () => {
  it('is one of the tenant that has been served least, not the oldest', async () => {
    limit = 10;
    for (const name of ['n1', 'n2', 'n3', 'n4']) enter(name, 'noisy', 10);
    enter('q1', 'quiet', 10);
    await leave('n1');
    await leave('q1');
    await leave('n2');
    expect(through).toEqual(['n1', 'q1', 'n2', 'n3']);
  });

  it('depends on cost: a tenant with cheap requests is served more often', async () => {
    limit = 10;
    enter('first', 'other', 10);
    for (const name of ['big1', 'big2', 'big3']) enter(name, 'big', 40);
    for (const name of ['s1', 's2', 's3', 's4']) enter(name, 'small', 10);
    for (let round = 0; round < 7; round += 1) {
      const last = through.at(-1) ?? '';
      await leave(last, last.startsWith('big') ? 40 : 10);
    }
    expect(through).toEqual(['first', 'big1', 's1', 's2', 's3', 's4', 'big2', 'big3']);
  });

  it('comes later for a tenant whose requests cost more than expected', async () => {
    limit = 10;
    enter('a1', 'a', 10);
    for (const name of ['a2', 'a3']) enter(name, 'a', 10);
    for (const name of ['b1', 'b2', 'b3']) enter(name, 'b', 10);
    await leave('a1', 35);
    for (const name of ['b1', 'b2', 'b3']) await leave(name);
    expect(through).toEqual(['a1', 'b1', 'b2', 'b3', 'a2']);
  });

  it('is an order before a read, and a read before a list', async () => {
    limit = 10;
    enter('read', 'a', 10);
    enter('list', 'a', 10, 'list');
    enter('order', 'a', 10, 'urgent');
    enter('list2', 'b', 10, 'list');
    enter('read2', 'b', 10);
    enter('order2', 'b', 10, 'urgent');
    await leave('order');
    await leave('read');
    await leave('list');
    expect(through).toEqual(['read', 'list', 'order', 'order2', 'read2', 'list2']);
  });
});

describe('a request that does not fit', () => {
  it('is refused at once when its tenant has its maximum queued; other tenants may still queue', () => {
    limit = 10;
    for (let number = 0; number < 6; number += 1) enter(`n${String(number)}`, 'noisy', 10);
    enter('q', 'quiet', 10);
    return Promise.resolve().then(() => {
      expect(refusals).toEqual(new Map([['n5', 'project_limit']]));
      expect(queue.waiting().single).toBe(5);
    });
  });

  it('is refused at once when the queue is full, whichever tenant sent it', () => {
    limit = 10;
    for (let number = 0; number < 12; number += 1)
      enter(`r${String(number)}`, `t${String(number)}`, 10);
    return Promise.resolve().then(() => {
      expect(refusals).toEqual(new Map([['r11', 'overload']]));
    });
  });

  it('leaves the queue at its maximum wait, and the next request follows', async () => {
    limit = 10;
    enter('a1', 'a', 10);
    enter('a2', 'a', 10);
    enter('b1', 'b', 10);
    await jest.advanceTimersByTimeAsync(500);
    expect(refusals).toEqual(
      new Map([
        ['a2', 'overload'],
        ['b1', 'overload'],
      ]),
    );
    enter('c1', 'c', 10);
    await leave('a1');
    expect(through).toEqual(['a1', 'c1']);
    expect(queue.waiting()).toEqual({ urgent: 0, single: 0, list: 0 });
  });

  it('takes no capacity once it is stuck, and ends like any other', async () => {
    limit = 10;
    enter('stuck', 'a', 10);
    await jest.advanceTimersByTimeAsync(600);
    enter('next', 'b', 10);
    await jest.advanceTimersByTimeAsync(399);
    expect(through).toEqual(['stuck']);
    await jest.advanceTimersByTimeAsync(1);
    expect(through).toEqual(['stuck', 'next']);
    expect(queue.inFlight()).toBe(10);
    await leave('stuck');
    expect(queue.inFlight()).toBe(10);
    await leave('next');
    expect(queue.inFlight()).toBe(0);
  });

  it('releases its slot once, however often it is released', async () => {
    limit = 10;
    for (const name of ['a', 'b', 'c']) enter(name, name, 10);
    await leave('a');
    await leave('a');
    expect(through).toEqual(['a', 'b']);
    await leave('b');
    await leave('c');
    expect(queue.inFlight()).toBe(0);
  });
});

describe('the load of one tenant in flight', () => {
  beforeEach(() => {
    queue = createFairQueue({
      limit: () => limit,
      maxOwnLoad: 20,
      maxOwn: 4,
      maxWaiting: 10,
      maxWaitMs: 500,
    });
  });

  it('is bounded, so that the request of another waits behind little', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name, 'a', 10);
    enter('b1', 'b', 10);
    expect(through).toEqual(['a1', 'a2', 'b1']);
    await leave('a1');
    expect(through).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('may be one request that is larger', async () => {
    enter('a1', 'a', 50);
    enter('a2', 'a', 50);
    expect(through).toEqual(['a1']);
    await leave('a1', 50);
    expect(through).toEqual(['a1', 'a2']);
  });

  it('does not count a request that is stuck', async () => {
    enter('a1', 'a', 20);
    enter('a2', 'a', 20);
    await jest.advanceTimersByTimeAsync(499);
    expect(through).toEqual(['a1']);
    await jest.advanceTimersByTimeAsync(1);
    expect(refusals.get('a2')).toBe('overload');
    await jest.advanceTimersByTimeAsync(500);
    enter('a3', 'a', 20);
    expect(through).toEqual(['a1', 'a3']);
  });

  it('is not bounded for orders and lists, which wait for BMCs or have threads of their own', () => {
    limit = 200;
    for (const name of ['u1', 'u2', 'u3']) enter(name, 'a', 10, 'urgent');
    for (const name of ['l1', 'l2', 'l3']) enter(name, 'a', 10, 'list');
    expect(through).toEqual(['u1', 'u2', 'u3', 'l1', 'l2', 'l3']);
  });
});
