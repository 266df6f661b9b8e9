import { type TSchema, Type } from '@sinclair/typebox';
import { api } from '@tenure/contracts';

/** A header of an answer: the location of the result, or the filter of a list. */
type AnswerHeader = 'Location' | 'X-Tenure-Policy-Filter';

/** The success response of a route. */
export interface Answer {
  readonly status: 200 | 201 | 202 | 204;
  /** Null when there is no body. */
  readonly schema: TSchema | null;
  readonly header?: AnswerHeader;
  /** The kind of record that `fields` and `sort_key` refer to. */
  readonly record?: api.RecordSchemas;
  /** An alternative success response. */
  readonly or?: Answer;
}

const ok = (schema: TSchema): Answer => ({ status: 200, schema });
const listing = (schema: TSchema): Answer => ({ ...ok(schema), header: 'X-Tenure-Policy-Filter' });

interface RecordAnswers {
  readonly one: Answer;
  readonly list: Answer;
  readonly details: Answer;
  readonly created: Answer;
  readonly updated: Answer;
}

const ofRecord = (record: api.RecordSchemas): RecordAnswers => ({
  one: { ...ok(record.some), record },
  list: { ...listing(record.list), record },
  details: { ...listing(record.wholeList), record },
  created: { status: 201, schema: record.whole, header: 'Location' },
  updated: ok(record.whole),
});

const ACCEPTED: Answer = { status: 202, schema: null };
const DONE: Answer = { status: 204, schema: null };

/** The success responses of all routes. */
export const ANSWER = {
  /** Accepted; the client polls for the result. */
  accepted: ACCEPTED,
  acceptedAt: { ...ACCEPTED, header: 'Location' },
  done: DONE,
  doneAt: { ...DONE, header: 'Location' },
  head: { status: 200, schema: null },

  root: ok(api.ApiRoot),
  version: ok(api.ApiVersion),
  description: ok(api.ApiDescription),

  node: ofRecord(api.NODE_SCHEMAS),
  port: ofRecord(api.PORT_SCHEMAS),
  portgroup: ofRecord(api.PORTGROUP_SCHEMAS),
  volumeConnector: ofRecord(api.VOLUME_CONNECTOR_SCHEMAS),
  volumeTarget: ofRecord(api.VOLUME_TARGET_SCHEMAS),
  volumeRoot: ok(api.VolumeRoot),
  chassis: ofRecord(api.CHASSIS_SCHEMAS),
  deployTemplate: ofRecord(api.DEPLOY_TEMPLATE_SCHEMAS),
  allocation: ofRecord(api.ALLOCATION_SCHEMAS),
  lease: ofRecord(api.LEASE_SCHEMAS),
  /** Deleted at once, or after cleanup. */
  leaseEnded: { ...DONE, or: ACCEPTED },
  handover: ofRecord(api.HANDOVER_SCHEMAS),
  driver: ofRecord(api.DRIVER_SCHEMAS),
  conductor: ofRecord(api.CONDUCTOR_SCHEMAS),
  shards: listing(api.Shards),
  explained: ok(api.Explained),

  states: ok(api.NodeStates),
  validation: ok(api.NodeValidation),
  children: listing(api.NodeChildren),
  console: ok(api.ConsoleState),
  bootDevice: ok(api.BootDevice),
  bootDevices: ok(api.SupportedBootDevices),
  indicators: ok(api.Indicators),
  indicator: ok(api.IndicatorOrComponent),
  traits: ok(api.Traits),
  vifs: ok(api.Vifs),
  virtualMedia: ok(api.VirtualMedia),
  bios: { ...ok(api.BIOS_SCHEMAS.list), record: api.BIOS_SCHEMAS },
  biosSetting: ok(api.BiosSettingByName),
  firmware: ok(api.Firmware),
  history: ok(api.HISTORY_SCHEMAS.list),
  historyEntry: ok(api.HISTORY_SCHEMAS.whole),
  inventory: ok(api.NodeInventory),
  vendorMethods: ok(api.VendorMethods),
  vendor: { ...ok(Type.Unknown()), or: ACCEPTED },

  nova: {
    version: ok(api.NOVA_ANSWERS.version),
    server: ok(api.NOVA_ANSWERS.server),
    serverCreated: { status: 202, schema: api.NOVA_ANSWERS.createdServer, header: 'Location' },
    servers: listing(api.NOVA_ANSWERS.servers),
    serverDetails: listing(api.NOVA_ANSWERS.serverDetails),
    // Most actions are asynchronous; some return a body, and confirmResize is complete at once.
    acted: { ...ACCEPTED, or: { ...ok(api.NOVA_ANSWERS.acted), or: DONE } },
    flavor: ok(api.NOVA_ANSWERS.flavor),
    flavors: ok(api.NOVA_ANSWERS.flavors),
    extraSpecs: ok(api.NOVA_ANSWERS.extraSpecs),
    keypair: ok(api.NOVA_ANSWERS.keypair),
    // 2.2 made a key pair something that is created, and later deleted, with statuses that say so.
    keypairCreated: {
      status: 201,
      schema: api.NOVA_ANSWERS.keypair,
      or: ok(api.NOVA_ANSWERS.keypair),
    },
    keypairDeleted: { ...DONE, or: ACCEPTED },
    keypairs: ok(api.NOVA_ANSWERS.keypairs),
  },

  lookup: ok(api.AgentLookup),
  inspected: { status: 202, schema: api.InspectedNode },
  introspection: ok(api.INTROSPECTION.one),
  introspections: listing(api.INTROSPECTION.list),
  introspectionData: ok(api.IntrospectionData),
} as const satisfies Record<string, Answer | RecordAnswers | Record<string, Answer>>;
