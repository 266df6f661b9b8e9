import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from '../support/http-client.js';
import { inProject, type Persona } from '../support/personas.js';
import { sharedTenure, type Tenure } from '../support/tenure.js';
import { nodeProbes } from './noninterference/node-probes.js';
import { answerTo, type Probe, seenIn, showsB, titleOf } from './noninterference/probe.js';
import { A, B, twinOf } from './noninterference/tenants.js';
import {
  addressProbes,
  agentAddressProbes,
  agentProbes,
  allocationProbes,
  chassisProbes,
  connectorProbes,
  partProbes,
  portgroupProbes,
  portProbes,
  targetProbes,
  valueProbes,
} from './noninterference/thing-probes.js';

// Two tenants. Nothing that A may ask has an answer that depends on whether B's things are there: whatever names one of
// them is answered, byte for byte, as if it named nothing.

const viewers: readonly (readonly [string, Persona])[] = [
  ['an admin of another project', inProject(A.project, 'admin')],
  ['a reader of another project', inProject(A.project, 'reader')],
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

/** What B's things are called, and what is asked about each. */
const SUBJECTS: readonly (readonly [names: readonly string[], probes: readonly Probe[]])[] = [
  [['node', 'nodeName', 'child', 'idle', 'idleName'], nodeProbes],
  [['port', 'portName'], portProbes],
  [['portgroup', 'portgroupName'], portgroupProbes],
  [['portAddress', 'portgroupAddress'], addressProbes],
  [['connector'], connectorProbes],
  [['target'], targetProbes],
  [['allocation', 'allocationName'], allocationProbes],
  [['chassis'], chassisProbes],
  [['event', 'setting', 'trait', 'vif'], partProbes],
  [
    ['project', 'lessee', 'class', 'shard', 'group', 'description', 'holder', 'allocation'],
    valueProbes,
  ],
];

const valueOf = (name: string): string => {
  const value = B.names[name];
  if (value === undefined) throw new Error(`B has nothing that is called ${name}`);
  return value;
};

async function expectSame(persona: Persona | null, probe: Probe, hidden: string): Promise<void> {
  const idents = [hidden, twinOf(hidden)] as const;
  expect(idents[1]).not.toBe(idents[0]);
  // One after the other: some lock the caller's own node.
  const there = seenIn(await answerTo(tenure, persona, probe, idents[0]), idents[0]);
  const nowhere = seenIn(await answerTo(tenure, persona, probe, idents[1]), idents[1]);
  expect(there).toEqual(nowhere);
  expect(there.status).toBeLessThan(500);
  expect(showsB(there)).toBe(false);
}

const casesOf = (subjects: typeof SUBJECTS) =>
  subjects.flatMap(([names, probes]) =>
    names.flatMap((name) =>
      probes.map((probe) => [`${name} of B: ${titleOf(probe)}`, name, probe] as const),
    ),
  );

describe.each(viewers)('%s', (_, persona) => {
  it.each(casesOf(SUBJECTS))('learns nothing from the %s', async (_title, name, probe) => {
    expect.hasAssertions();
    await expectSame(persona, probe, valueOf(name));
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
    await expectSame(null, probe, valueOf(name));
  });
});

describe('the id of the decision', () => {
  it('does not tell by repeating itself, or by not doing so, which of two unseen nodes is there', async () => {
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
