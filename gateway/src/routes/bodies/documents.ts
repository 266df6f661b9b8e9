import { type TSchema, Type } from '@sinclair/typebox';
import {
  api,
  assertMembers,
  BadRequestError,
  booleanIn,
  CHASSIS_CATALOGUE,
  DEPLOY_TEMPLATE_CATALOGUE,
  isOutsideId,
  isTenancyId,
  LEASE_CATALOGUE,
  NODE_CATALOGUE,
  parse,
  pointerTo,
  PORT_CATALOGUE,
  PORTGROUP_CATALOGUE,
  type Requested,
  type ResourceCatalogue,
  VOLUME_CONNECTOR_CATALOGUE,
  VOLUME_TARGET_CATALOGUE,
} from '@tenure/contracts';
import { type BodyKind, type BodyMeaning, bodyOf, DOCUMENT_BYTES } from './body-kind.js';

const MAX_FIELDS = 1000;

/** Any JSON object; the services check its members. */
export const Document = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: MAX_FIELDS,
});
const Owner = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const AutomatedClean = Type.Union([Type.Boolean(), Type.Null()]);

type IsId = (value: unknown) => boolean;

/** Fields that contain ids, by kind of record: ids of projects, and of resources of other services. */
const ID_FIELDS: Readonly<Record<string, Readonly<Record<string, IsId>>>> = {
  node: { owner: isTenancyId, lessee: isTenancyId },
  allocation: { owner: isTenancyId },
  lease: { lessee: isTenancyId },
  'volume connector': { connector_id: isOutsideId },
  'volume target': { volume_id: isOutsideId },
};

/** The requested owner; empty when the body does not contain it. */
export const ownerOf = (value: unknown, what: string): Pick<Requested, 'owner'> =>
  value === undefined ? {} : { owner: parse(Owner, value, `${what} owner`) };

/** The requested automated cleaning; empty when the body does not contain it. */
export const automatedCleanOf = (value: unknown): Pick<Requested, 'automated_clean'> =>
  value === undefined
    ? {}
    : { automated_clean: parse(AutomatedClean, booleanIn(value), 'node automated_clean') };

export const present = (requested: Requested): Pick<BodyMeaning, 'requested'> =>
  Object.keys(requested).length > 0 ? { requested } : {};

/** The member of `instance_info` with the project that becomes the lessee at deployment. */
export const INSTANCE_PROJECT = 'project_id';

type Members = Readonly<Record<string, unknown>>;
type RequestedIn = (document: Members, what: string) => Requested;

/** Further fields that a document writes implicitly: the lessee, with an instance's project. */
const impliedIn = ({ instance_info: info }: Members): readonly string[] =>
  typeof info === 'object' &&
  info !== null &&
  ((info as Members)[INSTANCE_PROJECT] ?? null) !== null
    ? ['lessee']
    : [];

type Implied = (document: Members) => readonly string[];

/** A kind of record, with the members that it has; the policy judges no field of an allocation. */
export type Kind = Pick<ResourceCatalogue, 'what'> & Partial<Pick<ResourceCatalogue, 'sinceOf'>>;

export const ALLOCATION: Kind = { what: 'allocation' };

/** The body of a create request: the policy judges each of its members. */
const documentOf = (
  kind: Kind,
  described: TSchema,
  requestedIn?: RequestedIn,
  implied: Implied = () => [],
): BodyKind =>
  bodyOf({
    schema: Document,
    described,
    what: kind.what,
    limit: DOCUMENT_BYTES,
    isDocument: true,
    meaning: (document) => {
      assertIds(kind.what, Object.entries(document));
      return {
        ...fieldsOf(kind, [...Object.keys(document), ...implied(document)]),
        ...(requestedIn !== undefined && present(requestedIn(document, kind.what))),
      };
    },
  });

export const DOCUMENT_BODIES = {
  node: documentOf(
    NODE_CATALOGUE,
    api.CREATION.node,
    (node, what) => ({
      ...ownerOf(node['owner'], what),
      ...automatedCleanOf(node['automated_clean']),
    }),
    impliedIn,
  ),
  allocation: documentOf(ALLOCATION, api.CREATION.allocation, (allocation, what) =>
    ownerOf(allocation['owner'], what),
  ),
  port: documentOf(PORT_CATALOGUE, api.CREATION.port),
  portgroup: documentOf(PORTGROUP_CATALOGUE, api.CREATION.portgroup),
  volumeConnector: documentOf(VOLUME_CONNECTOR_CATALOGUE, api.CREATION.volumeConnector),
  volumeTarget: documentOf(VOLUME_TARGET_CATALOGUE, api.CREATION.volumeTarget),
  lease: documentOf(LEASE_CATALOGUE, api.CREATION.lease),
  chassis: documentOf(CHASSIS_CATALOGUE, api.CREATION.chassis),
  deployTemplate: documentOf(DEPLOY_TEMPLATE_CATALOGUE, api.CREATION.deployTemplate),
} as const satisfies Record<string, BodyKind>;

/**
 * Refuses a text that cannot be an id. Other types and the empty text are refused by the service, after the policy.
 * @throws BadRequestError naming the field
 */
export function assertIds(what: string, values: Iterable<readonly [string, unknown]>): void {
  const fields = ID_FIELDS[what] ?? {};
  for (const [field, value] of values) {
    const isId = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (isId !== undefined && typeof value === 'string' && value !== '' && !isId(value))
      throw new BadRequestError(
        `Schema error for ${what}: /${field}: an id has 1 to 255 characters, no blanks at its ends, and neither control nor invisible characters`,
      );
  }
}

/** The members that a request writes, for the policy. @throws BadRequestError for one that no record of the kind has */
export function fieldsOf(
  { what, sinceOf }: Kind,
  names: readonly string[],
): Pick<BodyMeaning, 'fields'> {
  if (sinceOf !== undefined) assertMembers({ what, sinceOf }, names);
  return { fields: [...new Set(names)].map(pointerTo) };
}
