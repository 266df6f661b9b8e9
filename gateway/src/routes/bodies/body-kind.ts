import { type Static, type TSchema } from '@sinclair/typebox';
import { BadRequestError, parse, type Requested } from '@tenure/contracts';

/** The policy input from a body: the fields that it touches, and the requested values (untrusted). */
export interface BodyMeaning {
  readonly fields?: string[];
  readonly requested?: Requested;
}

/** A kind of body: its limit, its shape, and the policy input derived from it. */
export interface BodyKind {
  /** Bytes; 0 when the route takes no body. */
  readonly limit: number;
  /** True for a record or a patch, to which the operator's limit for documents also applies. */
  readonly isDocument?: true;
  /** The accepted shape; null when the route takes no body. The services check more. */
  readonly schema: TSchema | null;
  /** The shape that the service accepts, for the API's description. */
  readonly described: TSchema | null;
  readonly isOptional: boolean;
  /** @throws BadRequestError when the body is not of the kind */
  readonly meaning: (json: unknown) => BodyMeaning;
}

export const SMALL_BYTES = 16 * 1024;
export const MEDIUM_BYTES = 64 * 1024;
export const DOCUMENT_BYTES = 1024 * 1024;
/** Maximum of an inspection report. */
export const INVENTORY_BYTES = 4 * 1024 * 1024;

export const NO_MEANING: BodyMeaning = {};

export const NO_BODY: BodyKind = {
  limit: 0,
  schema: null,
  described: null,
  isOptional: true,
  meaning: () => NO_MEANING,
};

interface Form<S extends TSchema> {
  readonly schema: S;
  /** The shape that the service accepts, where it is stricter than the schema. */
  readonly described?: TSchema;
  /** Names the body in errors, for example `power state`. */
  readonly what: string;
  /** Bytes. */
  readonly limit: number;
  /** True when the operator's limit for documents also applies. */
  readonly isDocument?: true;
  /** True when the body may be left out. */
  readonly isOptional?: true;
  readonly meaning?: (body: Static<S>) => BodyMeaning;
}

/** A kind of body that has the shape of a schema. */
export const bodyOf = <S extends TSchema>({ what, meaning, ...form }: Form<S>): BodyKind => ({
  schema: form.schema,
  described: form.described ?? form.schema,
  limit: form.limit,
  ...(form.isDocument === true && { isDocument: true }),
  isOptional: form.isOptional === true,
  meaning: (json) => {
    if (json === undefined) {
      if (form.isOptional === true) return NO_MEANING;
      throw new BadRequestError('The request needs a JSON body.');
    }
    const body = parse(form.schema, json, what);
    return meaning?.(body) ?? NO_MEANING;
  },
});
