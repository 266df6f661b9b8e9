import { describe, expect, it } from '@jest/globals';
import {
  fieldOf,
  HANDOVER_CATALOGUE,
  LEASE_CATALOGUE,
  NODE_CATALOGUE,
  type NodeRecord,
  type ResourceCatalogue,
} from '@tenure/contracts';
import { conductorFor } from '../../domain/conductors.js';
import { KINDS } from '../../domain/kinds/all-kinds.js';
import { LEASE } from '../../domain/kinds/lease.js';
import { maskedInRow } from '../../domain/visibility.js';
import { type Projected, type StoredRecord } from '../../ports/record-store.js';
import { type StoredLease } from '../../ports/stores.js';
import { makeHandover } from '../../testing/custody.js';
import { makeNode, uuidOf } from '../../testing/fixtures.js';
import { masking, seesOwn } from '../../testing/test-app.js';
import { handoverRecordFields, handoverView } from './handover-view.js';
import { leaseRecordFields, leaseView } from './lease-view.js';
import { nodeRecordFields, nodeView } from './node-view.js';
import { resourceRecordFields, resourceView } from './resource-view.js';

const MINORS = Array.from({ length: 110 }, (_, minor) => minor);
const NOW = '2026-11-21T08:00:00+00:00';
const BASE = 'http://h:1';

const VALUES: Readonly<Record<string, unknown>> = {
  object: { address: 'a', password: 'secret', nested: { list: [1] } },
  string_list: ['CUSTOM_A'],
  object_list: [{ step: 'x' }],
  timestamp: '2026-11-21T07:10:57+00:00',
  boolean: true,
  integer: 7,
};

/** A record in which every field has a value. */
const full = (catalogue: ResourceCatalogue, number: number): StoredRecord => ({
  ...Object.fromEntries(
    catalogue.fields.map(({ name, kind }) => [name, VALUES[kind] ?? `the ${name}`]),
  ),
  uuid: uuidOf(number),
  revision: 3,
});

/** The part of a record that a store reads for these fields. */
const projected = <R extends StoredRecord>(
  record: R,
  fields: readonly string[] | undefined,
): Projected<R> =>
  fields === undefined
    ? record
    : (Object.fromEntries(
        ['uuid', ...fields]
          .filter((field) => Object.hasOwn(record, field))
          .map((field) => [field, fieldOf(record, field)]),
      ) as Projected<R>); // members of an R

/** Every member alone, the members of a list, and all of them. */
const choicesOf = (catalogue: ResourceCatalogue): readonly (readonly string[] | undefined)[] => [
  ...catalogue.members.map((member) => [member]),
  catalogue.listFields,
  catalogue.members,
  undefined,
];

describe('the projected record has the same view as the whole record', () => {
  it('of a node, for every member, microversion and mask', () => {
    const live = [
      {
        hostname: 'c-1',
        drivers: ['the driver'],
        conductor_group: 'the conductor_group',
        seen_at: 0,
      },
    ];
    const obligations = seesOwn('p-a', 'driver_info', 'reservation', 'conductor', 'last_error');
    const show = (node: Projected<NodeRecord>, minor: number, fields?: readonly string[]) =>
      nodeView(
        node,
        {
          base: BASE,
          minor,
          masked: maskedInRow(node, obligations),
          conductor: conductorFor(live, node.driver, node.conductor_group),
        },
        fields,
      );
    for (const tenancy of [
      { owner: 'p-a', lessee: 'p-b' },
      { owner: 'p-b', lessee: 'p-a' },
      { owner: 'p-b', lessee: null },
    ]) {
      const node = { ...makeNode(), ...full(NODE_CATALOGUE, 1), ...tenancy };
      // One expectation for all microversions: tens of thousands of them took seconds.
      for (const fields of choicesOf(NODE_CATALOGUE)) {
        const row = projected(node, nodeRecordFields(fields));
        expect(MINORS.map((minor) => show(row, minor, fields))).toEqual(
          MINORS.map((minor) => show(node, minor, fields)),
        );
      }
    }
  });

  it.each(Object.values(KINDS))('of $section, for every member, microversion and mask', (kind) => {
    const record = { ...full(kind.catalogue, 2), created_at: NOW, updated_at: null };
    const show = (row: Projected<typeof record>, minor: number, fields?: readonly string[]) =>
      resourceView(kind, row, { base: BASE, minor, masked: new Set(['extra', 'name']) }, fields);
    for (const fields of choicesOf(kind.catalogue)) {
      const row = projected(record, resourceRecordFields(kind, fields));
      expect(MINORS.map((minor) => show(row, minor, fields))).toEqual(
        MINORS.map((minor) => show(record, minor, fields)),
      );
      // The masks depend on the node.
      expect(row['node_uuid' as keyof typeof row]).toEqual(
        record['node_uuid' as keyof typeof record],
      );
    }
  });

  it.each(['2026-11-21T07:00:00+00:00', '2026-11-21T09:00:00+00:00'])(
    'of a lease that ends at %s, for every member',
    (end) => {
      const lease = {
        ...full(LEASE_CATALOGUE, 3),
        status: 'active',
        end_time: end,
      } as unknown as StoredLease; // every field has a value of its kind
      const context = {
        public_base: BASE,
        obligations: masking('description'),
        api_version: '1.109',
      };
      const show = (row: Projected<StoredLease>, fields?: readonly string[]) =>
        leaseView(row, context, NOW, fields);
      for (const fields of choicesOf(LEASE.catalogue))
        expect(show(projected(lease, leaseRecordFields(fields)), fields)).toEqual(
          show(lease, fields),
        );
    },
  );

  it('of a handover, for every member and mask', () => {
    const record = { ...makeHandover(4, { sealed: { extra: { a: 1 } } }) };
    for (const hidden of [[], ['step_detail'], ['sealed', 'by_user']])
      for (const fields of [
        ...HANDOVER_CATALOGUE.members.map((member) => [member]),
        HANDOVER_CATALOGUE.listFields,
        HANDOVER_CATALOGUE.members,
      ]) {
        const options = { base: BASE, path: 'handovers', masked: new Set(hidden) };
        expect(
          handoverView(projected(record, handoverRecordFields(fields)), options, fields),
        ).toEqual(handoverView(record, options, fields));
      }
  });
});
