import {
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
} from '@sinclair/typebox';
import { UUID_PATTERN } from '../resource-fields/field-schemas.js';

export const Uuid = Type.String({ format: 'uuid', pattern: UUID_PATTERN });
export const Text = Type.String();
export const Moment = Type.String({ format: 'date-time' });
/** Any JSON object. */
export const Members = Type.Object({}, { additionalProperties: true });

/** An object without other members. A title makes it a named component of the API's description. */
export const exactly = <P extends TProperties>(properties: P, title?: string): TObject<P> =>
  Type.Object(properties, { additionalProperties: false, ...(title !== undefined && { title }) });

export const enumOf = <const W extends readonly string[]>(...values: W): TUnsafe<W[number]> =>
  Type.Unsafe<W[number]>({ type: 'string', enum: values });

export const Link = exactly(
  {
    href: Type.String({ format: 'uri' }),
    rel: Text,
    type: Type.Optional(Text),
  },
  'Link',
);
export const Links = Type.Array(Link);

/** Ironic's error body, as its clients parse it: the value is itself JSON. */
export const ErrorBody = exactly(
  {
    error_message: Type.String({
      contentMediaType: 'application/json',
      contentSchema: exactly({
        faultcode: enumOf('Client', 'Server'),
        faultstring: Text,
        debuginfo: Type.Null(),
      }),
    }),
  },
  'Error',
);

export const orNull = <S extends TSchema>(schema: S): TUnion<[S, ReturnType<typeof Type.Null>]> =>
  Type.Union([schema, Type.Null()]);

/** The same, saying which microversion brought it; what was always there needs no word. */
export const since = (minor: number, schema: TSchema): TSchema =>
  minor > 1 ? { ...schema, description: `Since 1.${minor}.` } : schema;
