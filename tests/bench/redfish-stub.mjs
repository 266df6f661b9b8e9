// Simulated BMCs for bench/power.mjs and bench/power-sync.mjs, in a process of their own: one HTTPS server with Basic
// authentication, reached at as many loopback addresses as there are BMCs. Prints its port.
// Usage: node redfish-stub.mjs CERTIFICATE KEY USER:PASSWORD [MILLISECONDS BEFORE EACH ANSWER]
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const [certificate, key, credentials, answerMs = '0'] = process.argv.slice(2);
const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
const system = '/redfish/v1/Systems/1';
const documents = new Map(
  Object.entries({
    '/redfish/v1/': {
      '@odata.id': '/redfish/v1/',
      Id: 'RootService',
      Name: 'Root Service',
      RedfishVersion: '1.6.0',
      UUID: '92384634-2938-2342-8820-489239905423',
      Systems: { '@odata.id': '/redfish/v1/Systems' },
      Links: {},
    },
    '/redfish/v1/Systems': {
      '@odata.id': '/redfish/v1/Systems',
      Name: 'Systems',
      Members: [{ '@odata.id': system }],
      'Members@odata.count': 1,
    },
    [system]: {
      '@odata.id': system,
      Id: '1',
      Name: 'System',
      UUID: '38947555-7742-3448-3784-823347823834',
      SystemType: 'Physical',
      Manufacturer: 'Bench',
      PowerState: 'On',
      Status: { State: 'Enabled', Health: 'OK' },
      Boot: {
        BootSourceOverrideEnabled: 'Disabled',
        BootSourceOverrideTarget: 'None',
        'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe', 'Hdd', 'Cd'],
      },
      Bios: { '@odata.id': `${system}/Bios` },
      Actions: {
        '#ComputerSystem.Reset': {
          target: `${system}/Actions/ComputerSystem.Reset`,
          'ResetType@Redfish.AllowableValues': ['On', 'ForceOff', 'GracefulShutdown'],
        },
      },
      Links: { ManagedBy: [], Chassis: [] },
    },
  }).map(([path, document]) => [path, JSON.stringify(document)]),
);

const server = createServer(
  { cert: readFileSync(certificate), key: readFileSync(key), keepAliveTimeout: 600_000 },
  async ({ method, url = '', headers }, response) => {
    if (answerMs !== '0') await sleep(Number(answerMs));
    const isPublic = url === '/redfish/v1/';
    const document = method === 'GET' ? documents.get(url) : undefined;
    if (!isPublic && headers.authorization !== authorization) response.writeHead(401).end();
    else if (document === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(document);
  },
);
// Every address of 127.0.0.0/8 is this machine's own, and no other machine's.
server.listen(0, '0.0.0.0', () => process.stdout.write(`${server.address().port}\n`));
