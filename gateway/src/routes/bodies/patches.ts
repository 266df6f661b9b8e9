import {
  BadRequestError,
  booleanIn,
  CHASSIS_CATALOGUE,
  DEPLOY_TEMPLATE_CATALOGUE,
  JsonPatch,
  LEASE_CATALOGUE,
  NODE_CATALOGUE,
  PORT_CATALOGUE,
  PORTGROUP_CATALOGUE,
  type Requested,
  segmentsOf,
  VOLUME_CONNECTOR_CATALOGUE,
  VOLUME_TARGET_CATALOGUE,
} from '@tenure/contracts';
import { type BodyKind, bodyOf, DOCUMENT_BYTES } from './body-kind.js';
import {
  ALLOCATION,
  assertIds,
  automatedCleanOf,
  fieldsOf,
  INSTANCE_PROJECT,
  type Kind,
  ownerOf,
  present,
} from './documents.js';

interface Write {
  readonly member: string;
  /** The path below the member. */
  readonly below: readonly string[];
  readonly value: unknown;
}

const writesOf = (patch: JsonPatch): readonly Write[] =>
  patch.map((operation) => {
    const segments = segmentsOf(operation.path);
    const [member, ...below] = segments ?? [];
    if (member === undefined || member === '')
      throw new BadRequestError(
        `The path ${JSON.stringify(operation.path)} is not a JSON pointer to a field.`,
      );
    if (operation.op === 'remove') return { member, below, value: null };
    if (!('value' in operation))
      throw new BadRequestError(`The operation on ${operation.path} has no value.`);
    return { member, below, value: operation.value };
  });

const lastOf = (writes: readonly Write[], member: string): unknown =>
  writes.findLast((write) => write.member === member && write.below.length === 0)?.value;

/** Cleaning counts as disabled when any operation disables it, whatever a later one does. */
const automatedCleanIn = (writes: readonly Write[]): unknown =>
  writes.some(({ member, value }) => member === 'automated_clean' && booleanIn(value) === false)
    ? false
    : lastOf(writes, 'automated_clean');

type RequestedIn = (writes: readonly Write[], what: string) => Requested;

/** The policy input of a kind of patch besides the names of the fields. */
interface Reading {
  readonly requested?: RequestedIn;
  /** Further fields that an operation writes implicitly. */
  readonly implied?: (write: Write) => readonly string[];
}

/** An update. The policy judges whole fields; the paths below them would only make the question longer. */
const patchOf = (kind: Kind, { requested, implied }: Reading = {}): BodyKind =>
  bodyOf({
    schema: JsonPatch,
    what: `${kind.what} patch`,
    limit: DOCUMENT_BYTES,
    isDocument: true,
    meaning: (patch) => {
      const writes = writesOf(patch);
      assertIds(
        kind.what,
        writes
          .filter(({ below }) => below.length === 0)
          .map(({ member, value }) => [member, value]),
      );
      const written = writes.flatMap((write) => [write.member, ...(implied?.(write) ?? [])]);
      return {
        ...fieldsOf(kind, written),
        ...(requested !== undefined && present(requested(writes, kind.what))),
      };
    },
  });

/**
 * The project of an instance becomes the node's lessee at deployment, so a write to the project counts as a write to the
 * lessee. When a whole `instance_info` is replaced, the inventory compares the projects, because it has the old value.
 */
const lesseeIn = ({ member, below, value }: Write): readonly string[] =>
  member === 'instance_info' && below[0] === INSTANCE_PROJECT && value !== null ? ['lessee'] : [];

export const PATCH_BODIES = {
  nodePatch: patchOf(NODE_CATALOGUE, {
    requested: (writes, what) => ({
      ...ownerIn(writes, what),
      ...automatedCleanOf(automatedCleanIn(writes)),
    }),
    implied: lesseeIn,
  }),
  allocationPatch: patchOf(ALLOCATION, { requested: ownerIn }),
  portPatch: patchOf(PORT_CATALOGUE),
  portgroupPatch: patchOf(PORTGROUP_CATALOGUE),
  volumeConnectorPatch: patchOf(VOLUME_CONNECTOR_CATALOGUE),
  volumeTargetPatch: patchOf(VOLUME_TARGET_CATALOGUE),
  leasePatch: patchOf(LEASE_CATALOGUE),
  chassisPatch: patchOf(CHASSIS_CATALOGUE),
  deployTemplatePatch: patchOf(DEPLOY_TEMPLATE_CATALOGUE),
} as const satisfies Record<string, BodyKind>;

/** The requested owner. An invalid one is refused by the service, after the policy, which sees that the field is touched. */
function ownerIn(writes: readonly Write[], what: string): Pick<Requested, 'owner'> {
  const owner = lastOf(writes, 'owner');
  return owner === null || typeof owner === 'string' ? ownerOf(owner, what) : {};
}
