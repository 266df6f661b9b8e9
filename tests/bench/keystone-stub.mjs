// A Keystone that costs nothing, for bench/keystone.mjs: `node keystone-stub.mjs PORT PROJECT`. It believes every token.
import { createServer } from 'node:http';

const [port, project] = process.argv.slice(2);
const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();
const token = {
  methods: ['password'],
  user: { id: 'olga', name: 'olga', domain: { id: 'default', name: 'Default' } },
  audit_ids: ['rWqX7cQYTLy9vCmmE2r0sw'],
  issued_at: at(-10),
  expires_at: at(36_000),
  project: { id: project, name: 'bench', domain: { id: 'default', name: 'Default' } },
  is_domain: false,
  roles: [
    { id: 'r-member', name: 'member' },
    { id: 'r-reader', name: 'reader' },
  ],
};
const send = (response, status, body, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};
const server = createServer((request, response) => {
  request.resume();
  if (request.url.startsWith('/v3/OS-REVOKE/events')) send(response, 200, { events: [] });
  else if (request.method === 'POST') send(response, 201, { token }, { 'x-subject-token': 'ours' });
  else
    send(response, 200, { token }, { 'x-subject-token': request.headers['x-subject-token'] ?? '' });
});
server.keepAliveTimeout = 65_000;
server.listen(Number(port), '127.0.0.1');
