import { type ContextStatement } from '@tenure/signed-context';
import { KINDS } from '../domain/kinds/all-kinds.js';
import { type ResourceSection } from '../domain/kinds/resource-kind.js';
import { initialValues } from '../domain/resource-values.js';
import { type ResourceRecord } from '../ports/resource-records.js';
import { makeNode, uuidOf } from './fixtures.js';
import { type Answer } from './signed-request.js';
import { seesAll, type TestApp } from './test-app.js';

type Values = Readonly<Record<string, unknown>>;
type Context = Partial<ContextStatement>;

/** Records and calls by small numbers, so that tests can be read. */
export interface ResourceCalls {
  readonly addNode: (number: number, values?: Values) => Promise<unknown>;
  /** Stores a record as it is, without the API. */
  readonly add: (section: ResourceSection, number: number, values?: Values) => Promise<unknown>;
  readonly stored: (
    section: ResourceSection,
    number: number,
  ) => Promise<ResourceRecord | undefined>;
  /** A list, as the gateway forwards it. */
  readonly list: (target: string, context?: Context) => Promise<Answer>;
  /** A POST whose context names the node of that number, with its tenancy as it is now; null names none. */
  readonly create: (
    section: ResourceSection,
    node: number | null,
    body: Values,
    context?: Context,
  ) => Promise<Answer>;
  /** A call about one record, whose context names it and its node with their tenancy as it is now. */
  readonly on: (
    section: ResourceSection,
    number: number,
    call?: { method?: string; body?: unknown; below?: string; context?: Context },
  ) => Promise<Answer>;
}

const EVERYTHING_NEW: Context = { obligations: seesAll, api_version: '1.115' };

/** A MAC address that ends in a number. */
export const macOf = (number: number): string =>
  `52:54:00:00:00:${String(number).padStart(2, '0')}`;

export function resourceCalls(app: () => TestApp): ResourceCalls {
  const resourceOf = async (uuid: unknown) => {
    const node = typeof uuid === 'string' ? await app().stores.nodes.findBy('uuid', uuid) : null;
    return typeof uuid === 'string'
      ? [{ type: 'node', uuid, tenancy_revision: node?.tenancy_revision ?? 0 }]
      : [];
  };
  const stored: ResourceCalls['stored'] = (section, number) =>
    app().stores.resources[section].findBy('uuid', uuidOf(number));
  return {
    addNode: (number, values = {}) =>
      app().stores.nodes.insert((epoch) =>
        makeNode(
          { uuid: uuidOf(number), name: `n${String(number)}`, power_state: 'power off', ...values },
          epoch,
        ),
      ),
    add: (section, number, values = {}) =>
      app().stores.resources[section].insert((epoch) => makeRecord(section, number, epoch, values)),
    stored,
    list: (target, context = {}) =>
      app().call({ from: 'gateway', target, context: { ...EVERYTHING_NEW, ...context } }),
    create: async (section, node, body, context = {}) =>
      app().call({
        from: 'gateway',
        method: 'POST',
        target: `/v1/${KINDS[section].path}`,
        body,
        context: {
          ...EVERYTHING_NEW,
          resources: node === null ? [] : await resourceOf(uuidOf(node)),
          ...context,
        },
      }),
    on: async (section, number, { below = '', context, ...call } = {}) => {
      const { type, path, onNode } = KINDS[section];
      const record = await stored(section, number);
      const home = await resourceOf(record?.node_uuid);
      const resource = {
        type,
        uuid: uuidOf(number),
        tenancy_revision: home[0]?.tenancy_revision ?? 0,
      };
      return app().call({
        ...call,
        from: 'gateway',
        target: `/v1/${path}/${uuidOf(number)}${below}`,
        context: {
          ...EVERYTHING_NEW,
          resources: onNode ? [resource, ...home] : [],
          ...context,
        },
      });
    },
  };
}

/** The numbers of the records in a list's answer. */
export const numbersIn = ({ body }: Answer, collection: string): readonly number[] =>
  (body as Readonly<Record<string, readonly { readonly uuid: string }[]>>)[collection]?.map(
    ({ uuid }) => Number(uuid.slice(-4)),
  ) ?? [];

/** A patch of one replacement. */
export const replacing = (path: string, value: unknown): readonly unknown[] => [
  { op: 'replace', path, value },
];

const makeRecord = (
  section: ResourceSection,
  number: number,
  epoch: number,
  values: Values,
): ResourceRecord => ({
  ...initialValues(KINDS[section]),
  uuid: uuidOf(number),
  created_at: '2026-11-21T07:10:57+00:00',
  updated_at: null,
  revision: epoch,
  ...values,
});
