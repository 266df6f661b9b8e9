import { randomUUID } from 'node:crypto';
import { type NodeRecord } from '@tenure/contracts';
import { newNode } from '../domain/node-record.js';
import { type RecordQuery } from '../ports/record-store.js';

/** Everything, in the order of creation. */
export const EVERYTHING: RecordQuery = {
  anyOf: null,
  where: [],
  order: { field: null, descending: false },
  after: null,
  limit: 1000,
};

/** A node as it is after it was created, with some fields set. */
export const makeNode = (values: Readonly<Record<string, unknown>> = {}, epoch = 1): NodeRecord =>
  newNode(
    {
      uuid: randomUUID(),
      driver: 'fake-hardware',
      created_at: '2026-11-21T07:10:57+00:00',
      ...values,
    },
    epoch,
  );

/** A uuid that ends in a number, so that tests can be read. */
export const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
