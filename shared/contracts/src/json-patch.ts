import { type Static, Type } from '@sinclair/typebox';

/** Ironic takes add, replace and remove; the other operations of RFC 6902 are refused. */
export const JsonPatch = Type.Array(
  Type.Object(
    {
      op: Type.Union([Type.Literal('add'), Type.Literal('replace'), Type.Literal('remove')]),
      path: Type.String({ minLength: 2, maxLength: 1024, pattern: '^/' }),
      value: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  ),
  {
    title: 'JsonPatch',
    maxItems: 1000,
    examples: [[{ op: 'replace', path: '/extra', value: { rack: 'r1' } }]],
  },
);
export type JsonPatch = Static<typeof JsonPatch>;
