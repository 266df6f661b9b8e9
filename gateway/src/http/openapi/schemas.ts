import { type TSchema } from '@sinclair/typebox';

type Json = Readonly<Record<string, unknown>>;

/** Writes schemas as JSON. One with a title becomes a component of that name and a reference to it. */
export interface SchemaWriter {
  /** @throws Error when two schemas have one title */
  readonly write: (schema: TSchema) => unknown;
  /** Every component so far, by name. */
  readonly components: () => Json;
}

export function createSchemaWriter(): SchemaWriter {
  const components = new Map<string, unknown>();

  const named = (title: string, schema: unknown): Json => {
    const existing = components.get(title);
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${title}`);
    components.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  };

  const write = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(write);
    if (!isMembers(value)) return value;
    const { title, ...members } = value;
    const written = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, write(member)]),
    );
    return typeof title === 'string' ? named(title, written) : written;
  };

  return {
    write,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const isMembers = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
