import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keystoneAccount } from './keystone-login.js';

const TOKEN = {
  user: { id: 'nova-1', name: 'nova' },
  audit_ids: ['a1'],
  issued_at: '2026-11-21T06:00:00.000000Z',
  expires_at: '2026-11-21T07:00:00.000000Z',
  roles: [{ id: 'r1', name: 'service' }],
};
const PASSWORD = {
  OS_USERNAME: 'nova',
  OS_PASSWORD: 'secret-word',
  OS_USER_DOMAIN_NAME: 'Default',
};

let server: Server;
let url: string;
let answer: readonly [status: number, body: object];
const requests: (readonly [target: string | undefined, body: unknown])[] = [];

beforeEach(async () => {
  requests.length = 0;
  server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push([request.url, JSON.parse(body)]);
      response.writeHead(answer[0], { Location: 'http://127.0.0.1:1/' });
      response.end(JSON.stringify(answer[1]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : address)}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const problem = (env: Readonly<Record<string, string>>): Promise<unknown> =>
  keystoneAccount(env).catch((error: unknown) => error);

describe('the account that logs in to Keystone', () => {
  it('is who Keystone says, with its roles, on the system', async () => {
    answer = [201, { token: { ...TOKEN, system: { all: true } } }];
    expect(
      await keystoneAccount({ ...PASSWORD, OS_AUTH_URL: `${url}/v3/`, OS_SYSTEM_SCOPE: 'all' }),
    ).toEqual({
      name: 'service on the system',
      subject: {
        user_id: 'nova-1',
        project_id: null,
        system_scope: 'all',
        domain_id: null,
        roles: ['service'],
      },
    });
    const user = { name: 'nova', domain: { name: 'Default' }, password: 'secret-word' };
    expect(requests).toEqual([
      [
        '/v3/auth/tokens?nocatalog',
        {
          auth: {
            identity: { methods: ['password'], password: { user } },
            scope: { system: { all: true } },
          },
        },
      ],
    ]);
  });

  it('may be in a project, and log in with an application credential', async () => {
    const project = { id: 'p1', name: 'service', domain: { id: 'default' } };
    answer = [201, { token: { ...TOKEN, project } }];
    const { name, subject } = await keystoneAccount({
      OS_AUTH_URL: url,
      OS_APPLICATION_CREDENTIAL_ID: 'c1',
      OS_APPLICATION_CREDENTIAL_SECRET: 'secret-word',
    });
    expect([name, subject['project_id'], subject['project_name']]).toEqual([
      'service in project service',
      'p1',
      'service',
    ]);
    const credential = { id: 'c1', secret: 'secret-word' };
    expect(requests).toEqual([
      [
        '/v3/auth/tokens?nocatalog',
        {
          auth: {
            identity: {
              methods: ['application_credential'],
              application_credential: credential,
            },
          },
        },
      ],
    ]);
  });

  it.each<[what: string, status: number, body: object, message: string]>([
    ['is refused', 401, {}, 'Keystone refused the login (401)'],
    ['is sent elsewhere', 302, {}, 'Keystone at OS_AUTH_URL does not answer'],
    ['gets a malformed token', 201, { token: {} }, 'the answer of Keystone is malformed'],
  ])('is no account when it %s', async (_what, status, body, message) => {
    answer = [status, body];
    expect(await problem({ ...PASSWORD, OS_AUTH_URL: url })).toMatchObject({ message });
  });

  it.each([
    ['OS_AUTH_URL', { ...PASSWORD }],
    ['OS_PASSWORD', { OS_AUTH_URL: 'http://127.0.0.1:1', OS_USERNAME: 'nova' }],
  ])('has to be configured with %s', async (missing, env) => {
    const error = await problem(env);
    expect(String(error)).toContain(missing);
    expect(String(error)).not.toContain('secret-word');
  });
});
