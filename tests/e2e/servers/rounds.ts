import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimedToken } from '../../support/claimed-token.js';
import { type Answer, ask } from '../../support/http-client.js';
import { root } from '../../support/paths.js';
import { type Persona } from '../../support/personas.js';
import { seenIn } from '../noninterference/probe.js';
import { type Cloud, creatorFor, PERSONAS, PROJECT } from './cloud.js';
import { type Caller, CALLERS, FOURTEEN, type Operation, OTHERS } from './table.js';

const OVERLAY = path.join(root, 'policies-rego', 'overlays', 'user_id.yaml');

/** The newest version in which every operation of the table is there, in ours and in the stub. */
const HEADERS = { 'OpenStack-API-Version': 'compute 2.60' };

const ROUNDS = [
  { overlay: 'off', settings: {} },
  { overlay: 'on', settings: { TENURE_POLICY_OVERLAYS: OVERLAY } },
] as const;

const OPERATIONS = [...FOURTEEN, ...OTHERS];

type Start = (name: string, settings: Readonly<Record<string, string>>) => Promise<Cloud>;

/** The whole table, with and without the overlay, over what `start` starts. */
export function describeServers(upstream: string, start: Start): void {
  describe.each(ROUNDS)(`servers of ${upstream}, with the overlay $overlay`, (round) => {
    describeRound(round, start);
  });
}

function describeRound({ overlay, settings }: (typeof ROUNDS)[number], start: Start): void {
  let cloud: Cloud;

  beforeAll(async () => {
    cloud = await start(`servers-${overlay}`, settings);
  });

  afterAll(() => cloud.stop());

  it.each(casesOf(overlay))('$what by $caller: $letter', async ({ operation, caller, letter }) => {
    expect.hasAssertions();
    await expectLetter(cloud, operation, caller, letter);
  });

  it.each(OPERATIONS.map((operation) => ({ what: operation.name, operation })))(
    'reveals nothing to another project by $what: its servers are as those that nobody has',
    async ({ operation }) => {
      expect.hasAssertions();
      await expectNothingLearnt(cloud, operation);
    },
  );

  it('knows nobody by a token that names no user', async () => {
    expect.hasAssertions();
    await expectUnknown(cloud);
  });

  it('lists those of every project for the system alone', async () => {
    expect.hasAssertions();
    await expectLists(cloud);
  });

  it('warns at its start of rules for creators, and only of those', () => {
    expect(warnsOfCreators(cloud)).toBe(overlay === 'on');
  });
}

const casesOf = (overlay: 'on' | 'off') =>
  OPERATIONS.flatMap((operation) =>
    CALLERS.map((caller) => ({
      operation,
      caller,
      what: operation.name,
      letter: letterFor(operation, overlay, caller),
    })),
  );

async function expectLetter(
  cloud: Cloud,
  operation: Operation,
  caller: Caller,
  letter: string,
): Promise<void> {
  const id = await cloud.server(creatorFor(caller));
  const before = await cloud.traces(id);
  const answer = await requestFor(cloud, PERSONAS[caller], operation, id);
  if (letter === '3') expectRefused(answer, 403, forbidden(operation));
  else if (letter === '4') expectRefused(answer, 404, notFound(id));
  else
    expect({ answer, isServed: cloud.isServed(answer, operation) }).toMatchObject({
      isServed: true,
    });
  if (letter !== 'A') expect(await cloud.traces(id)).toBe(before);
}

/** Every request about a server of another project is answered as if the server did not exist. */
async function expectNothingLearnt(cloud: Cloud, operation: Operation): Promise<void> {
  const [hidden, nowhere] = [await cloud.server('ann'), randomUUID()];
  const persona = PERSONAS['other project'];
  const there = seenIn(await requestFor(cloud, persona, operation, hidden), hidden);
  const missing = seenIn(await requestFor(cloud, persona, operation, nowhere), nowhere);
  expect(there).toEqual(missing);
  expect(there.status).toBe(404);
}

async function expectUnknown(cloud: Cloud): Promise<void> {
  const id = await cloud.server(null);
  const before = await cloud.traces(id);
  const token = claimedToken(cloud.tenure, {
    sub: undefined,
    project_id: PROJECT,
    roles: ['member'],
  });
  const answer = await ask(cloud.tenure, null, `DELETE /v2.1/servers/${id}`, {
    headers: { 'X-Auth-Token': token },
  });
  const message = 'The request you have made requires authentication.';
  expectRefused(answer, 401, { unauthorized: { code: 401, message } });
  expect(await cloud.traces(id)).toBe(before);
}

async function expectLists({ tenure }: Cloud): Promise<void> {
  const list = async (caller: Caller, query: string): Promise<number> =>
    (await ask(tenure, PERSONAS[caller], `GET /v2.1/servers${query}`)).status;
  expect(await list('colleague', '')).toBe(200);
  expect(await list('colleague', '?all_tenants=1')).toBe(403);
  expect(await list('project admin', '?all_tenants=1')).toBe(403);
  expect(await list('system admin', '?all_tenants=1')).toBe(200);
}

const warnsOfCreators = ({ tenure }: Cloud): boolean =>
  tenure
    .log()
    .split('\n')
    .some((line) => line.includes('deprecated') && line.includes('os_compute_api:servers:delete'));

function letterFor(operation: Operation, overlay: 'on' | 'off', caller: Caller): string {
  const letters = operation[overlay].split(' ');
  const letter = letters[CALLERS.indexOf(caller)];
  if (letter === undefined || letters.length !== CALLERS.length)
    throw new Error(`the row of ${operation.name} has not a letter for each caller`);
  return letter;
}

const requestFor = (
  { tenure }: Cloud,
  persona: Persona,
  { line, body }: Operation,
  id: string,
): Promise<Answer> =>
  ask(tenure, persona, line.replace('{server}', id), {
    headers: HEADERS,
    ...(body !== undefined && { body }),
  });

function expectRefused(answer: Answer, status: number, body: unknown): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body });
}

const forbidden = ({ rule }: Operation): unknown => ({
  forbidden: { code: 403, message: `Policy doesn't allow ${rule} to be performed.` },
});
const notFound = (id: string): unknown => ({
  itemNotFound: { code: 404, message: `Instance ${id} could not be found.` },
});
