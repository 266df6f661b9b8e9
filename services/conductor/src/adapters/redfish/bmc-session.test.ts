import { expect, it } from '@jest/globals';
import { deadlineIn } from '@tenure/process';
import { aNode } from '@tenure/testing';
import { redfishSettingsOf } from '../../domain/redfish-settings.js';
import { failureOf } from '../../testing/redfish-bench.js';
import { createBmcAuth } from './bmc-session.js';
import { type BmcAnswer, type BmcTransport } from './bmc-transport.js';

const SETTINGS = redfishSettingsOf(
  aNode({
    driver_info: {
      redfish_address: 'bmc.example',
      redfish_username: 'operator',
      redfish_password: 's3cret',
    },
  }),
);
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const ROOT = {
  status: 200,
  headers: {},
  data: { Links: { Sessions: { '@odata.id': SESSIONS } } },
} satisfies BmcAnswer;

/** A BMC that answers logins with a status that the test sets, on a clock that the test advances. */
function scene(login: () => Promise<BmcAnswer>) {
  const clock = { ms: 0 };
  let logins = 0;
  const transport: BmcTransport = {
    call: ({ method }) => {
      if (method === 'GET') return Promise.resolve(ROOT);
      logins += 1;
      return login();
    },
    close: () => Promise.resolve(),
  };
  const auth = createBmcAuth(transport, SETTINGS, () => clock.ms);
  return { auth, clock, logins: () => logins };
}

const answered = (status: number, headers: Record<string, string> = {}): BmcAnswer => ({
  status,
  headers,
  data: {},
});

it('tries refused credentials again after a minute', async () => {
  let answer = answered(401);
  const { auth, clock, logins } = scene(() => Promise.resolve(answer));
  expect(await failureOf(auth.headers(deadlineIn(15_000)))).toMatchObject({ kind: 'auth' });
  answer = answered(201, { 'x-auth-token': 't1' });
  clock.ms = 59_999;
  expect(await failureOf(auth.headers(deadlineIn(15_000)))).toMatchObject({ kind: 'auth' });
  expect(logins()).toBe(1);
  clock.ms = 60_000;
  expect(await auth.headers(deadlineIn(15_000))).toEqual({ 'x-auth-token': 't1' });
});

it('asks for a session again a minute after there was none left', async () => {
  let answer = answered(503);
  const { auth, clock, logins } = scene(() => Promise.resolve(answer));
  const basic = { authorization: 'Basic b3BlcmF0b3I6czNjcmV0' };
  expect(await auth.headers(deadlineIn(15_000))).toEqual(basic);
  answer = answered(201, { 'x-auth-token': 't1' });
  clock.ms = 59_999;
  expect(await auth.headers(deadlineIn(15_000))).toEqual(basic);
  expect(logins()).toBe(1);
  clock.ms = 60_000;
  expect(await auth.headers(deadlineIn(15_000))).toEqual({ 'x-auth-token': 't1' });
});

it('lets who has less time leave a login that the others still wait for', async () => {
  const { promise, resolve } = Promise.withResolvers<BmcAnswer>();
  const { auth, logins } = scene(() => promise);
  const waiting = auth.headers(deadlineIn(60_000));
  expect(await failureOf(auth.headers(deadlineIn(5)))).toMatchObject({
    kind: 'timeout',
    message: 'the login at the BMC took too long',
  });
  resolve(answered(201, { 'x-auth-token': 't1' }));
  expect(await waiting).toEqual({ 'x-auth-token': 't1' });
  expect(logins()).toBe(1);
});
