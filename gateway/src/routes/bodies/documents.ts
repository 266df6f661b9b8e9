import { type TSchema, Type } from '@sinclair/typebox';
import {
  api,
  BadRequestError,
  booleanIn,
  isOutsideId,
  isTenancyId,
  parse,
  pointerTo,
  type Requested,
} from '@tenure/contracts';
import { type BodyKind, type BodyMeaning, bodyOf, DOCUMENT_BYTES } from './body-kind.js';

const MAX_FIELDS = 1000;

/** Any JSON object; the services know its members. */
export const Document = Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), {
  maxProperties: MAX_FIELDS,
});
const Owner = Type.Union([Type.String({ maxLength: 255 }), Type.Null()]);
const AutomatedClean = Type.Union([Type.Boolean(), Type.Null()]);

type IsId = (value: unknown) => boolean;

/** Fields that hold ids, by what is written: those of projects, and those of things of other services. */
const ID_FIELDS: Readonly<Record<string, Readonly<Record<string, IsId>>>> = {
  node: { owner: isTenancyId, lessee: isTenancyId },
  allocation: { owner: isTenancyId },
  lease: { lessee: isTenancyId },
  'volume connector': { connector_id: isOutsideId },
  'volume target': { volume_id: isOutsideId },
};

/**
 * Refuses a text that no id can be. What is no text, or is empty, is for the service to refuse, after the policy.
 * @throws BadRequestError naming the field
 */
export const assertIds = (what: string, values: Iterable<readonly [string, unknown]>): void => {
  const fields = ID_FIELDS[what] ?? {};
  for (const [field, value] of values) {
    const isId = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (isId !== undefined && typeof value === 'string' && value !== '' && !isId(value))
      throw new BadRequestError(
        `Schema error for ${what}: /${field}: an id has 1 to 255 characters, no blanks at its ends, and neither control nor invisible characters`,
      );
  }
};

/** The owner that a body asks for; nothing when it does not speak of one. */
export const ownerOf = (value: unknown, what: string): Pick<Requested, 'owner'> =>
  value === undefined ? {} : { owner: parse(Owner, value, `${what} owner`) };

/** Whether a body asks for automated cleaning; nothing when it does not speak of it. */
export const automatedCleanOf = (value: unknown): Pick<Requested, 'automated_clean'> =>
  value === undefined
    ? {}
    : { automated_clean: parse(AutomatedClean, booleanIn(value), 'node automated_clean') };

export const present = (requested: Requested): Pick<BodyMeaning, 'requested'> =>
  Object.keys(requested).length > 0 ? { requested } : {};

/** The member of `instance_info` that says whom a deployment makes the lessee. */
export const INSTANCE_PROJECT = 'project_id';

type Members = Readonly<Record<string, unknown>>;
type RequestedIn = (document: Members, what: string) => Requested;

/** Fields that a document writes beside those that it names: with an instance's project, the lessee. */
const impliedIn = ({ instance_info: info }: Members): readonly string[] =>
  typeof info === 'object' &&
  info !== null &&
  ((info as Members)[INSTANCE_PROJECT] ?? null) !== null
    ? ['lessee']
    : [];

type Implied = (document: Members) => readonly string[];

/** What is created: the policy is told which members it has. */
const documentOf = (
  what: string,
  described: TSchema,
  requestedIn?: RequestedIn,
  implied: Implied = () => [],
): BodyKind =>
  bodyOf({
    schema: Document,
    described,
    what,
    limit: DOCUMENT_BYTES,
    isDocument: true,
    meaning: (document) => {
      assertIds(what, Object.entries(document));
      return {
        fields: [...new Set([...Object.keys(document), ...implied(document)])].map(pointerTo),
        ...(requestedIn !== undefined && present(requestedIn(document, what))),
      };
    },
  });

export const DOCUMENT_BODIES = {
  node: documentOf(
    'node',
    api.CREATION.node,
    (node, what) => ({
      ...ownerOf(node['owner'], what),
      ...automatedCleanOf(node['automated_clean']),
    }),
    impliedIn,
  ),
  allocation: documentOf('allocation', api.CREATION.allocation, (allocation, what) =>
    ownerOf(allocation['owner'], what),
  ),
  port: documentOf('port', api.CREATION.port),
  portgroup: documentOf('portgroup', api.CREATION.portgroup),
  volumeConnector: documentOf('volume connector', api.CREATION.volumeConnector),
  volumeTarget: documentOf('volume target', api.CREATION.volumeTarget),
  lease: documentOf('lease', api.CREATION.lease),
  chassis: documentOf('chassis', api.CREATION.chassis),
  deployTemplate: documentOf('deploy template', api.CREATION.deployTemplate),
} as const satisfies Record<string, BodyKind>;
