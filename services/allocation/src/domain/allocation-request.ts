import { type Static, Type } from '@sinclair/typebox';
import {
  ALLOCATION_CATALOGUE,
  BadRequestError,
  CHANGE,
  isLongerJson,
  NotAcceptableError,
  parse,
  TenancyId,
} from '@tenure/contracts';

const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Ident = Type.String({ minLength: 1, maxLength: 255 });
const Trait = Type.String({
  maxLength: 255,
  pattern: '^(?:CUSTOM|COMPUTE|HW|MISC|OWNER|STORAGE)_[A-Z0-9_]+$',
});

/** Body of `POST /v1/allocations`. */
const AllocationRequest = Type.Object(
  {
    uuid: Type.Optional(Nullable(Type.String({ format: 'uuid' }))),
    name: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
    owner: Type.Optional(Nullable(TenancyId)),
    resource_class: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 80 }))),
    traits: Type.Optional(
      Type.Union([Type.Array(Trait, { maxItems: 50, uniqueItems: true }), Type.Null()]),
    ),
    candidate_nodes: Type.Optional(
      Type.Union([Type.Array(Ident, { maxItems: 1000 }), Type.Null()]),
    ),
    extra: Type.Optional(
      Type.Union([Type.Record(Type.String({ maxLength: 255 }), Type.Unknown()), Type.Null()]),
    ),
    node: Type.Optional(Nullable(Ident)),
  },
  { additionalProperties: false },
);
type AllocationRequest = Static<typeof AllocationRequest>;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/iu;
// RFC 3986 unreserved characters: a name is a path segment. Dot segments never reach a server.
const LOGICAL_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,255}$/u;

/** Bounded because every change of the allocation reads and writes it again. */
const MAX_EXTRA_BYTES = 128 * 1024;

/** A checked request, with what was left out filled in. */
export interface WantedAllocation {
  readonly uuid: string | null;
  readonly name: string | null;
  readonly owner: string | null;
  readonly resource_class: string | null;
  readonly traits: readonly string[];
  readonly candidate_nodes: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
  /** A node that is in use already and gets its allocation afterwards. */
  readonly node: string | null;
}

const LEFT_OUT = {
  uuid: null,
  name: null,
  owner: null,
  resource_class: null,
  traits: [],
  candidate_nodes: [],
  extra: {},
  node: null,
} as const satisfies WantedAllocation;

/** @throws BadRequestError for a name that could be taken for a uuid, or could not stand in a URL */
export function checkName(name: string | null): string | null {
  if (name === null) return null;
  if (!LOGICAL_NAME.test(name))
    throw new BadRequestError('The name of an allocation must be a valid host name.');
  if (UUID.test(name)) throw new BadRequestError('The name of an allocation cannot be a UUID.');
  return name;
}

/**
 * @param before the previous value; when that is too large already, the new one may not be larger
 * @throws BadRequestError
 */
export function assertExtraSize(extra: unknown, before: unknown = {}): void {
  if (!isLongerJson(extra, MAX_EXTRA_BYTES)) return;
  if (isLongerJson(before, JSON.stringify(extra).length - 1)) return;
  throw new BadRequestError(`extra is larger than ${String(MAX_EXTRA_BYTES)} bytes.`);
}

/**
 * Reads the body of a create.
 * @param minor microversion: 1.`minor`
 * @throws BadRequestError for a body that is not of the schema
 * @throws NotAcceptableError for a member newer than the microversion
 */
export function readAllocationRequest(body: unknown, minor: number): WantedAllocation {
  const request = parse(AllocationRequest, body, 'allocation');
  checkVersion(request, minor);
  const wanted: WantedAllocation = { ...LEFT_OUT, ...givenIn(request) };
  requireResourceClass(wanted);
  refuseOtherCandidates(wanted);
  assertExtraSize(wanted.extra);
  return {
    ...wanted,
    uuid: wanted.uuid?.toLowerCase() ?? null,
    name: checkName(wanted.name),
    candidate_nodes: [...new Set(wanted.candidate_nodes)],
  };
}

function checkVersion(request: AllocationRequest, minor: number): void {
  const tooNew =
    (request.owner !== undefined && minor < (ALLOCATION_CATALOGUE.sinceOf('owner') ?? Infinity)) ||
    (request.node !== undefined && minor < CHANGE.backfill.minor);
  if (tooNew) throw new NotAcceptableError();
}

// A member that is null is one that was left out.
const givenIn = (request: AllocationRequest): Partial<WantedAllocation> =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null));

function requireResourceClass({ resource_class, node }: WantedAllocation): void {
  if (resource_class === null && node === null)
    throw new BadRequestError(
      "Schema error for allocation: 'resource_class' is a required property",
    );
}

function refuseOtherCandidates({ candidate_nodes, node }: WantedAllocation): void {
  if (node !== null && candidate_nodes.length > 0 && !candidate_nodes.includes(node))
    throw new BadRequestError(
      'Schema error for allocation: candidate_nodes cannot be given together with another node',
    );
}
