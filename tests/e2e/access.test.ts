import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { availableNode } from '../support/fleet.js';
import { type Answer, ask } from '../support/http-client.js';
import { startTenure, type Tenure } from '../support/tenure.js';
import { COLUMNS, LESSEE, OTHER, OWNER } from './access/cast.js';
import { emptyFleet, type Fleet, newAddress, prepare, type Prepared } from './access/fixtures.js';
import { lettersOf, type Row } from './access/row.js';
import { allocationRows } from './access/table/allocations.js';
import { nodeFieldRows, readOnlyFieldRows } from './access/table/node-fields.js';
import { nodeVerbRows } from './access/table/node-verbs.js';
import { nodeRows } from './access/table/nodes.js';
import { portRows } from './access/table/ports.js';
import { systemRows } from './access/table/system.js';
import { volumeRows } from './access/table/volume.js';

// Every endpoint and every caller, allowed and refused. The table is written by hand from the specifications; no line
// of it comes from the policy.

const TABLE: readonly Row[] = [
  ...nodeRows,
  ...nodeVerbRows,
  ...nodeFieldRows,
  ...portRows,
  ...volumeRows,
  ...systemRows,
  ...allocationRows,
];

/** The projects with a row in every list: the owner's and another one. */
interface Pair {
  readonly own: string;
  readonly foreign: string;
}

const SECTION_OF: Readonly<Record<string, keyof Fleet>> = {
  nodes: 'nodes',
  ports: 'ports',
  portgroups: 'portgroups',
  connectors: 'volume_connectors',
  targets: 'volume_targets',
  allocations: 'allocations',
};

function resource(section: keyof Fleet, node: string, owner: string) {
  const uuid = randomUUID();
  const address = newAddress();
  const members: Readonly<Partial<Record<keyof Fleet, object>>> = {
    ports: { node_uuid: node, address },
    portgroups: { node_uuid: node, address },
    volume_connectors: { node_uuid: node, type: 'iqn', connector_id: uuid },
    volume_targets: { node_uuid: node, volume_type: 'iscsi', boot_index: 0, volume_id: uuid },
    allocations: { owner, state: 'error', resource_class: 'nothing-of-the-kind' },
  };
  return { uuid, ...members[section] };
}

/** One resource of each listed kind in a project that the lessee leases from, and one of a project that is not in the table. */
function listedPairs(fleet: Fleet): ReadonlyMap<string, Pair> {
  const own = availableNode(`listed-${randomUUID()}`, { owner: OWNER, lessee: LESSEE });
  const foreign = availableNode(`listed-${randomUUID()}`, { owner: `not-${OTHER}` });
  fleet.nodes.push(own, foreign);
  const pairs = new Map<string, Pair>([['nodes', { own: own.uuid, foreign: foreign.uuid }]]);
  for (const [collection, section] of Object.entries(SECTION_OF)) {
    if (section === 'nodes') continue;
    const [mine, theirs] = [
      resource(section, own.uuid, OWNER),
      resource(section, foreign.uuid, `not-${OTHER}`),
    ];
    fleet[section].push(mine, theirs);
    pairs.set(collection, { own: mine.uuid, foreign: theirs.uuid });
  }
  return pairs;
}

const MEANING: Readonly<Record<string, string>> = {
  A: 'is allowed',
  F: 'gets the rows of its own project',
  E: 'gets no row',
  '3': 'is refused',
  '4': 'finds nothing',
};

function uuidsIn(answer: Answer, collection: string): ReadonlySet<unknown> {
  const rows = (answer.json as Readonly<Record<string, readonly { uuid: unknown }[]>>)[collection]; // the shape of every list
  return new Set(rows?.map(({ uuid }) => uuid));
}

/** The letter that an answer is worth; the whole answer when it is none. */
function letterOf(row: Row, answer: Answer, pairs: ReadonlyMap<string, Pair>): string {
  if (answer.status === 403) return '3';
  if (answer.status === 404) return '4';
  if (answer.status !== row.ok) return `${String(answer.status)} ${answer.text}`;
  const pair = row.list === undefined ? undefined : pairs.get(row.list);
  if (row.list === undefined || pair === undefined) return 'A';
  const uuids = uuidsIn(answer, row.list);
  if (uuids.has(pair.foreign)) return uuids.has(pair.own) ? 'A' : 'the rows of others alone';
  return uuids.has(pair.own) ? 'F' : 'E';
}

interface Case {
  readonly row: Row;
  readonly letter: string;
  readonly who: (typeof COLUMNS)[number];
  readonly prepared: Prepared;
}

const casesOf = (rows: readonly Row[], fleet: Fleet, columns: readonly number[]): readonly Case[] =>
  rows.flatMap((row) =>
    lettersOf(row).flatMap((letter, index) => {
      const who = COLUMNS[index];
      return who === undefined || !columns.includes(index)
        ? []
        : [{ row, letter, who, prepared: prepare(fleet, row) }];
    }),
  );

const titleOf = ({ row, letter, who: [name] }: Case): string =>
  `${row.line}${row.about === undefined ? '' : ` ${row.about}`}: ${name} ${MEANING[letter] ?? ''}`;

const ELEVATED = COLUMNS.length - 1;

describe.each([
  {
    about: 'default switches',
    columns: COLUMNS.slice(0, -1).map((_, index) => index),
    settings: {},
  },
  {
    about: 'the service role elevated',
    columns: [ELEVATED],
    settings: { TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS: 'true' },
  },
])('with $about', ({ columns, settings }) => {
  const fleet = emptyFleet();
  const pairs = listedPairs(fleet); // first, so that the first page of every list has them
  const cases = casesOf(TABLE, fleet, columns);
  const unwritable = casesOf(readOnlyFieldRows, fleet, columns);
  let tenure: Tenure;

  beforeAll(async () => {
    tenure = await startTenure('access', settings);
    await tenure.importDocument(fleet);
  });

  afterAll(() => tenure.stop());

  const send = ({ who: [, persona], prepared: { line, body } }: Case): Promise<Answer> =>
    ask(tenure, persona, line, { version: 'latest', ...(body !== undefined && { body }) });

  it.each(cases.map((one) => [titleOf(one), one] as const))('%s', async (_, one) => {
    expect(letterOf(one.row, await send(one), pairs)).toBe(one.letter);
  });

  it.each(unwritable.map((one) => [titleOf(one), one] as const))(
    'nobody writes it: %s',
    async (_, one) => {
      expect(one.letter === '4' ? [404] : [400, 403]).toContain((await send(one)).status);
    },
  );
});
