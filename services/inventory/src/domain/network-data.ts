import { Type } from '@sinclair/typebox';
import { parse } from '@tenure/contracts';

const Id = Type.String({ minLength: 1, maxLength: 255 });
const named = (required: Readonly<Record<string, typeof Id>>) =>
  Type.Array(Type.Object(required, { additionalProperties: true }), { maxItems: 1000 });

// The parts of a configuration drive's network_data.json that everything else refers to.
const NetworkData = Type.Object(
  {
    links: Type.Optional(named({ id: Id, type: Id })),
    networks: Type.Optional(named({ id: Id, type: Id, link: Id })),
    services: Type.Optional(named({ type: Id, address: Id })),
  },
  { additionalProperties: true },
);

/**
 * Checks the whole of a node's `network_data`, as it is after a change.
 * @throws BadRequestError naming the first offending place
 */
export function assertNetworkData(value: unknown): void {
  parse(NetworkData, value, 'network_data');
}
