import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isEveryCase } from '../support/every-case.js';
import { ask } from '../support/http-client.js';
import { inProject, type Persona } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { nodeProbes } from './noninterference/node-probes.js';
import {
  answerTo,
  type Asker,
  type Probe,
  type Seen,
  seenIn,
  showsB,
  titleOf,
} from './noninterference/probe.js';
import {
  addressProbes,
  agentAddressProbes,
  agentProbes,
  allocationProbes,
  chassisProbes,
  connectorProbes,
  leaseProbes,
  partProbes,
  portgroupProbes,
  portProbes,
  targetProbes,
  valueProbes,
} from './noninterference/resource-probes.js';
import { A, B, twinOf } from './noninterference/tenants.js';

// Two tenants. Nothing that A may ask has an answer that depends on whether B's resources exist: whatever names one of
// them is answered, byte for byte, as if it named nothing.

const viewers: readonly (readonly [string, Persona])[] = [
  ['an admin of another project', inProject(A.project, 'admin')],
  ['a reader of another project', inProject(A.project, 'reader')],
];

const moreViewers: readonly (readonly [string, Persona])[] = [
  ['someone without a role', inProject(A.project)],
  ['an unscoped token', { user: 'nobody', scope: 'none', roles: ['admin'] }],
  ['a domain admin', { user: 'domain-admin', scope: { domain: 'default' }, roles: ['admin'] }],
  ['a service account', inProject('service', 'service')],
];

let tenure: Tenure;

beforeAll(async () => {
  tenure = await sharedTenure();
  await tenure.importDocument(A.document);
  await tenure.importDocument(B.document);
});

/** The names of B's resources, and the probes of each. */
const SUBJECTS: readonly (readonly [names: readonly string[], probes: readonly Probe[]])[] = [
  [['node', 'nodeName', 'child', 'idle', 'idleName'], nodeProbes],
  [['port', 'portName'], portProbes],
  [['portgroup', 'portgroupName'], portgroupProbes],
  [['portAddress', 'portgroupAddress'], addressProbes],
  [['connector'], connectorProbes],
  [['target'], targetProbes],
  [['allocation', 'allocationName'], allocationProbes],
  [['lease'], leaseProbes],
  [['chassis'], chassisProbes],
  [['event', 'setting', 'trait', 'vif'], partProbes],
  [
    ['project', 'lessee', 'class', 'shard', 'group', 'description', 'holder', 'allocation'],
    valueProbes,
  ],
];

function valueOf(name: string): string {
  const value = B.names[name];
  if (value === undefined) throw new Error(`B has nothing that is called ${name}`);
  return value;
}

async function bothAnswers(
  asker: Asker,
  probe: Probe,
  hidden: string,
): Promise<readonly [Seen, Seen]> {
  const nowhere = twinOf(hidden);
  expect(nowhere).not.toBe(hidden);
  // One after the other: some lock the caller's own node.
  return [
    seenIn(await answerTo(asker, probe, hidden), hidden),
    seenIn(await answerTo(asker, probe, nowhere), nowhere),
  ];
}

async function expectSame(asker: Asker, probe: Probe, hidden: string): Promise<void> {
  const [there, nowhere] = await bothAnswers(asker, probe, hidden);
  expect(there).toEqual(nowhere);
  expect(there.status).toBeLessThan(500);
  expect(showsB(there)).toBe(false);
}

type Case = readonly [title: string, name: string, probe: Probe];

const caseOf = (name: string, probe: Probe): Case => [
  `${name} of B: ${titleOf(probe)}`,
  name,
  probe,
];

const casesOf = (subjects: typeof SUBJECTS): readonly Case[] =>
  subjects.flatMap(([names, probes]) =>
    names.flatMap((name) => probes.map((probe) => caseOf(name, probe))),
  );

/** Each probe with one name of its subject, the next probe with the next name; in the nightly run with every name. */
const everyProbe = (offset: number): readonly Case[] =>
  isEveryCase
    ? casesOf(SUBJECTS)
    : SUBJECTS.flatMap(([names, probes]) =>
        probes.map((probe, index) => caseOf(names[(index + offset) % names.length] ?? '', probe)),
      );

describe.each(viewers)('%s', (_, persona) => {
  it.each(casesOf(SUBJECTS))('learns nothing from the %s', async (_title, name, probe) => {
    expect.hasAssertions();
    await expectSame({ tenure, persona }, probe, valueOf(name));
  });
});

describe.each(moreViewers.map(([who, persona], offset) => ({ who, persona, offset })))(
  '$who',
  ({ persona, offset }) => {
    it.each(everyProbe(offset))('learns nothing from the %s', async (_title, name, probe) => {
      expect.hasAssertions();
      await expectSame({ tenure, persona }, probe, valueOf(name));
    });
  },
);

describe.each(
  ['1.1', '1.65'].map((version, index) => ({ version, offset: moreViewers.length + index })),
)('in microversion $version', ({ version, offset }) => {
  const persona = inProject(A.project, 'admin');

  it.each(everyProbe(offset))('nothing is learnt from the %s', async (_title, name, probe) => {
    expect.hasAssertions();
    await expectSame({ tenure, persona, version }, probe, valueOf(name));
  });
});

describe('another spelling', () => {
  const persona = inProject(A.project, 'admin');

  it.each(
    casesOf([
      [['node'], nodeProbes],
      [['port'], portProbes],
      [['allocation'], allocationProbes],
      [['portAddress'], addressProbes],
    ]),
  )('in capitals reveals nothing either: %s', async (_title, name, probe) => {
    expect.hasAssertions();
    await expectSame({ tenure, persona }, probe, valueOf(name).toUpperCase());
  });
});

describe('the owners of the resources', () => {
  const persona = inProject(B.project, 'admin');

  it.each([
    ['node', 'GET /v1/nodes/{it}'],
    ['nodeName', 'GET /v1/ports?node={it}'],
    ['node', 'GET /v1/nodes?marker={it}'],
    ['port', 'GET /v1/ports/{it}'],
    ['portAddress', 'GET /v1/ports?address={it}'],
    ['portgroup', 'GET /v1/ports?portgroup={it}'],
    ['connector', 'GET /v1/volume/connectors/{it}'],
    ['target', 'GET /v1/volume/targets/{it}'],
    ['allocation', 'GET /v1/allocations/{it}'],
    ['lease', 'GET /v1/leases/{it}'],
    ['node', 'GET /v1/leases?node={it}'],
    ['shard', 'GET /v1/nodes?shard={it}'],
    ['description', 'GET /v1/nodes?description_contains={it}'],
  ])('can find out whether the %s is there: %s', async (name, line) => {
    const [there, nowhere] = await bothAnswers({ tenure, persona }, { line }, valueOf(name));
    expect(there).not.toEqual(nowhere);
  });
});

describe('a machine without a token', () => {
  it.each(
    casesOf([
      [['node', 'idle'], agentProbes],
      [['portAddress', 'portgroupAddress'], agentAddressProbes],
    ]),
  )('learns nothing from the %s', async (_title, name, probe) => {
    expect.hasAssertions();
    await expectSame({ tenure, persona: null }, probe, valueOf(name));
  });
});

describe('the id of the decision', () => {
  it('does not reveal by repeating itself, or by not doing so, which of two unseen nodes is there', async () => {
    const reader = inProject(A.project, 'reader');
    const idOf = async (ident: string): Promise<string> =>
      (await ask(tenure, reader, `GET /v1/nodes/${ident}`)).headers['x-tenure-decision-id'] ??
      'none';
    const pattern = async (first: string, second: string): Promise<readonly boolean[]> => {
      const ids = [await idOf(first), await idOf(second), await idOf(first), await idOf(second)];
      return ids.flatMap((left, index) => ids.slice(index + 1).map((right) => left === right));
    };
    const between = await pattern(randomUUID(), randomUUID());
    expect(await pattern(valueOf('node'), randomUUID())).toEqual(between);
    expect(await pattern(randomUUID(), valueOf('node'))).toEqual(between);
  });
});
