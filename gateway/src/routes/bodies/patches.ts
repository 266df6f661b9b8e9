import {
  BadRequestError,
  booleanIn,
  JsonPatch,
  pointerTo,
  type Requested,
  segmentsOf,
} from '@tenure/contracts';
import { type BodyKind, bodyOf, DOCUMENT_BYTES } from './body-kind.js';
import { assertIds, automatedCleanOf, ownerOf, present } from './documents.js';

interface Write {
  readonly member: string;
  readonly depth: number;
  readonly value: unknown;
}

const writesOf = (patch: JsonPatch): readonly Write[] =>
  patch.map((operation) => {
    const segments = segmentsOf(operation.path);
    const member = segments?.[0];
    if (segments === undefined || member === undefined || member === '')
      throw new BadRequestError(
        `The path ${JSON.stringify(operation.path)} is not a JSON pointer to a field.`,
      );
    if (operation.op === 'remove') return { member, depth: segments.length, value: null };
    if (!('value' in operation))
      throw new BadRequestError(`The operation on ${operation.path} has no value.`);
    return { member, depth: segments.length, value: operation.value };
  });

const lastOf = (writes: readonly Write[], member: string): unknown =>
  writes.findLast((write) => write.member === member && write.depth === 1)?.value;

/** Cleaning is asked to be off when any operation turns it off, whatever a later one says. */
const automatedCleanIn = (writes: readonly Write[]): unknown =>
  writes.some(({ member, value }) => member === 'automated_clean' && booleanIn(value) === false)
    ? false
    : lastOf(writes, 'automated_clean');

type RequestedIn = (writes: readonly Write[], what: string) => Requested;

/** An update: the policy judges whole fields; what is below them would only make the question longer. */
const patchOf = (what: string, requestedIn?: RequestedIn): BodyKind =>
  bodyOf({
    schema: JsonPatch,
    what: `${what} patch`,
    limit: DOCUMENT_BYTES,
    meaning: (patch) => {
      const writes = writesOf(patch);
      assertIds(
        what,
        writes.filter(({ depth }) => depth === 1).map(({ member, value }) => [member, value]),
      );
      return {
        fields: [...new Set(writes.map(({ member }) => pointerTo(member)))],
        ...(requestedIn !== undefined && present(requestedIn(writes, what))),
      };
    },
  });

/** What no owner can be is for the service to refuse, after the policy: the field is touched, whatever is written. */
const ownerIn = (writes: readonly Write[], what: string): Pick<Requested, 'owner'> => {
  const owner = lastOf(writes, 'owner');
  return owner === null || typeof owner === 'string' ? ownerOf(owner, what) : {};
};

export const PATCH_BODIES = {
  nodePatch: patchOf('node', (writes, what) => ({
    ...ownerIn(writes, what),
    ...automatedCleanOf(automatedCleanIn(writes)),
  })),
  allocationPatch: patchOf('allocation', ownerIn),
  portPatch: patchOf('port'),
  portgroupPatch: patchOf('portgroup'),
  volumeConnectorPatch: patchOf('volume connector'),
  volumeTargetPatch: patchOf('volume target'),
  leasePatch: patchOf('lease'),
  chassisPatch: patchOf('chassis'),
  deployTemplatePatch: patchOf('deploy template'),
} as const satisfies Record<string, BodyKind>;
