import { randomUUID } from 'node:crypto';
import { type CommandLine, commandLine } from '../clients-command-line.js';
import { type Clients, startClients } from '../clients.js';
import { nodeOf } from '../fleet.js';
import { certificates } from '../paths.js';
import { systemAdmin } from '../personas.js';
import { redfishSystemId, type SushyEmulator } from '../sushy-emulator.js';
import { startTenure, type Tenure } from '../tenure.js';
import { eventually } from '../wait.js';
import { libvirtEmulator } from './host.js';
import { type ImageServer, imageServer } from './image-server.js';
import { type Machine } from './machine.js';

interface Enrolment {
  readonly name: string;
  readonly owner: string;
  readonly lessee?: string;
  readonly inspectInterface?: string;
  /** Address of the image from which an agent is booted. */
  readonly deployIso?: string;
}

/** Tenure, its real clients, the BMC of the emulated machines, and a web server with images. */
export interface Bench {
  readonly tenure: Tenure;
  readonly clients: Clients;
  readonly baremetal: CommandLine;
  readonly images: ImageServer;
  readonly bmc: SushyEmulator;
  /** The BMC's password, which nobody may ever see. */
  readonly password: string;
  /** Enrols a machine with the real client, as an operator does. */
  enrol(machine: Machine, enrolment: Enrolment): Promise<void>;
  /** Waits until a node is in a state, whatever it does there. */
  reaches(ident: string, state: string): Promise<void>;
  /**
   * Waits until a node rests in a state, with no work or power command under way; the node as it is then.
   * @throws when its work failed, with its last error
   */
  atRest(ident: string, state: string): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 120_000;

/** Images are on this machine's loopback; machines are in libvirt's user network, and come from it. */
const SETTINGS = {
  CONDUCTOR_AGENT_ALLOW_LOOPBACK: 'true',
  CONDUCTOR_AGENT_NETWORKS: '10.0.2.0/24',
};

/** Starts what a suite of emulated machines needs. Stop it in `afterAll`. */
export async function startBench(): Promise<Bench> {
  const account = { username: 'operator', password: `s3cret-${randomUUID()}` };
  const tenure = await startTenure('vm', SETTINGS);
  const [bmc, images] = await Promise.all([libvirtEmulator(account), imageServer()]);
  const clients = startClients(tenure);
  const baremetal = commandLine(clients);
  return {
    tenure,
    clients,
    baremetal,
    images,
    bmc,
    password: account.password,
    enrol: async (machine, { name, owner, lessee, inspectInterface, deployIso }) => {
      const info = {
        redfish_address: bmc.url,
        redfish_system_id: redfishSystemId(machine.uuid),
        redfish_username: account.username,
        redfish_password: account.password,
        redfish_verify_ca: certificates.ca,
        redfish_auth_type: 'basic',
        ...(deployIso !== undefined && { deploy_iso: deployIso }),
      };
      const parts = [
        `node create --driver redfish --name ${name} --owner ${owner} --deploy-interface ramdisk`,
        ...(lessee === undefined ? [] : [`--lessee ${lessee}`]),
        ...(inspectInterface === undefined ? [] : [`--inspect-interface ${inspectInterface}`]),
        ...Object.entries(info).map(([key, value]) => `--driver-info ${key}=${value}`),
      ];
      await baremetal.json(systemAdmin, parts.join(' '));
    },
    reaches: async (ident, state) => {
      await eventually(
        () => nodeOf(tenure, ident),
        (node) => node['provision_state'] === state && node['reservation'] === null,
        { within: PATIENCE_MS, what: `state ${state} of ${ident}` },
      );
    },
    atRest: async (ident, state) => {
      const node = await eventually(
        () => nodeOf(tenure, ident),
        (seen) =>
          (seen['provision_state'] === state ||
            String(seen['provision_state']).endsWith('failed')) &&
          seen['target_power_state'] === null &&
          seen['reservation'] === null,
        { within: PATIENCE_MS, what: `rest of ${ident} in ${state}` },
      );
      if (node['provision_state'] !== state)
        throw new Error(`${String(node['provision_state'])}: ${String(node['last_error'])}`);
      return node;
    },
    stop: async () => {
      clients.stop();
      await Promise.all([bmc.stop(), images.stop()]);
      await tenure.stop();
    },
  };
}
