import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bootedWith } from '../support/agent-boot.js';
import { availableNode, type FleetNode, nodeOf } from '../support/fleet.js';
import { ask, askLatest } from '../support/http-client.js';
import { type AgentOrder, runAgent } from '../support/ipa.js';
import { newMac, portOn } from '../support/node-parts.js';
import { inProject, newProject } from '../support/personas.js';
import { freePort } from '../support/processes.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// The real ironic-python-agent speaks, through a listener of its own; nothing of what it sends is written here.

const project = newProject('agent-ipa');
const SECRET = 'a-secret-of-this-boot-that-is-long-enough';
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const CALLBACK = ['192.0.2.20', 9999] as const;

let tenure: Tenure;
let agentUrl: string;

beforeAll(async () => {
  const port = await freePort();
  agentUrl = `http://127.0.0.1:${port}`;
  tenure = await startTenure('agent-ipa', {
    GATEWAY_AGENT_PORT: String(port),
    CONDUCTOR_AGENT_NETWORKS: '127.0.0.0/8,192.0.2.0/24',
  });
});

afterAll(() => tenure.stop());

interface Machine {
  readonly node: FleetNode;
  readonly mac: string;
  /** Does `steps` as the agent on this machine. */
  readonly run: (
    steps: AgentOrder['steps'],
    order?: Partial<AgentOrder>,
  ) => ReturnType<typeof runAgent>;
}

async function machine(fields: Readonly<Record<string, unknown>>): Promise<Machine> {
  const mac = newMac();
  const node = availableNode(newProject('machine'), { owner: project, ...fields });
  await tenure.importDocument({ nodes: [node], ports: [portOn(node, { address: mac })] });
  const common = { api_url: agentUrl, mac, callback: CALLBACK };
  return { node, mac, run: (steps, order) => runAgent({ ...common, ...order, steps }) };
}

const booted = (fields: Readonly<Record<string, unknown>> = {}): Promise<Machine> =>
  machine({
    provision_state: 'inspect wait',
    target_provision_state: 'manageable',
    driver_internal_info: bootedWith(SECRET, 'inspect'),
    ...fields,
  });

/** As large as those of a machine whose logs are among them. */
const findingsOf = (mac: string) => ({
  inventory: {
    interfaces: [{ name: 'eth0', mac_address: mac }],
    cpu: { count: 48, architecture: 'x86_64' },
    memory: { physical_mb: 131_072 },
    disks: [{ name: '/dev/sda', size: 480 * 1024 ** 3 }],
  },
  configuration: { collectors: ['default', 'logs'] },
  logs: 'x'.repeat(500_000),
});

const inspectionUrl = (uuid: string, token: string): string =>
  agentUrl.replace('//', `//${uuid}:${token}@`).concat('/v1/continue_inspection');

describe('an agent whose boot brought its secret', () => {
  it('finds its node without being given a token, and reports with its own', async () => {
    const { node, run } = await booted({
      properties: { capabilities: 'boot_mode:uefi,profile:x', root_device: { wwn: '0x5000' } },
      instance_info: { image_source: 'http://images.example/a.img', configdrive: 'AAAA' },
    });
    const order = { token: SECRET, certificate: CERTIFICATE };
    const { lookup, heartbeat } = await run(['lookup', 'heartbeat'], order);
    expect(lookup).toMatchObject({
      ok: {
        content: {
          node: {
            uuid: node.uuid,
            properties: { capabilities: { boot_mode: 'uefi' }, root_device: { wwn: '0x5000' } },
            instance_info: {},
            driver_internal_info: {},
          },
          config: { agent_token: '******', agent_token_required: true },
        },
        token: SECRET,
        serves: true,
        boot_mode: 'uefi',
      },
    });
    // It sees that it may send a certificate.
    expect(heartbeat).toEqual({ ok: true });
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      driver_internal_info: {
        agent_url: 'https://192.0.2.20:9999',
        agent_address: '192.0.2.20',
        agent_version: '13.0.0',
        agent_verify_ca: CERTIFICATE,
        agent_secret_token: '******',
      },
    });
    const other = await run(['lookup', 'heartbeat'], { ...order, certificate: 'another' });
    expect(other['heartbeat']).toMatchObject({
      error: 'HeartbeatError',
      message: expect.stringContaining('Detected change in ramdisk provided "agent_verify_ca"'),
    });
  });

  it('hands in what it found, however large, by the address of its kernel parameters', async () => {
    const { node, mac, run } = await booted();
    const { inspect } = await run(['lookup', 'heartbeat', 'inspect'], {
      token: SECRET,
      inspection_url: inspectionUrl(node.uuid, SECRET),
      findings: findingsOf(mac),
    });
    expect(inspect).toEqual({ ok: { uuid: node.uuid } });
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      provision_state: 'manageable',
      properties: { cpus: 48, cpu_arch: 'x86_64', memory_mb: 131_072 },
    });
    const reader = inProject(project, 'reader');
    const kept = await askLatest(tenure, reader, `GET /v1/nodes/${node.uuid}/inventory`);
    expect(kept.json).toMatchObject({
      inventory: { cpu: { count: 48 } },
      plugin_data: { configuration: { collectors: ['default', 'logs'] } },
    });
    expect(tenure.log()).not.toContain(SECRET);
  });

  it.each([
    ['without a token', (uuid: string) => `${agentUrl}/v1/continue_inspection?node_uuid=${uuid}`],
    ['with another token', (uuid: string) => inspectionUrl(uuid, 'another')],
  ])('is not believed when it hands in %s', async (_how, urlOf) => {
    const { node, mac, run } = await booted();
    const { inspect } = await run(['inspect'], {
      inspection_url: urlOf(node.uuid),
      findings: findingsOf(mac),
    });
    expect(inspect).toMatchObject({
      error: 'InspectionError',
      message: expect.stringMatching(/error 404: .*Resource could not be found/u),
    });
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({ provision_state: 'inspect wait' });
  });

  it('stops when it does not have the secret: nobody gives it one', async () => {
    const { node, run } = await booted();
    const { lookup, heartbeat } = await run(['lookup', 'heartbeat'], { node_uuid: node.uuid });
    expect(lookup).toMatchObject({ ok: { token: null, serves: false } });
    expect(heartbeat).toMatchObject({
      error: 'HeartbeatError',
      message: expect.stringContaining('404'),
    });
  });
});

describe('an agent that was booted by network', () => {
  it('gets a token in a named network, once a boot', async () => {
    const { node, run } = await machine({ provision_state: 'clean wait' });
    const { lookup, heartbeat } = await run(['lookup', 'heartbeat']);
    expect(lookup).toMatchObject({
      ok: { token: expect.stringMatching(/^[\w-]{43}$/u), serves: true },
    });
    expect(heartbeat).toEqual({ ok: true });
    expect(await nodeOf(tenure, node.uuid)).toMatchObject({
      driver_internal_info: { agent_url: 'http://192.0.2.20:9999' },
    });
    const second = await run(['lookup', 'heartbeat']);
    expect(second).toMatchObject({
      lookup: { ok: { token: null, serves: false } },
      heartbeat: { error: 'HeartbeatError' },
    });
  });
});

describe('the listener for agents', () => {
  it('is the only one that serves them, and serves no user', async () => {
    const { node, mac } = await booted();
    const admin = inProject(project, 'admin');
    const query = `lookup?addresses=${mac}&node_uuid=${node.uuid}`;
    const target = `GET /v1/${query}`;
    const unknown = await askLatest(tenure, admin, 'GET /v1/nonsense');
    const hidden = await askLatest(tenure, admin, target);
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
    expect((await ask(tenure, null, target)).status).toBe(401);
    const token = await tenure.token(admin);
    const at = async (path: string): Promise<number> =>
      (
        await fetch(`${agentUrl}${path}`, {
          headers: { 'X-Auth-Token': token, 'X-OpenStack-Ironic-API-Version': '1.65' },
        })
      ).status;
    expect(await at(`/v1/${query}`)).toBe(200);
    expect([await at('/v1/nodes'), await at(`/v1/nodes/${node.uuid}`)]).toEqual([404, 404]);
    expect([await at('/'), await at('/v1')]).toEqual([200, 200]);
  });
});
