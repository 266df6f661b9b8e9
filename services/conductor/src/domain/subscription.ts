import { type Static, Type } from '@sinclair/typebox';
import { BadRequestError, parse } from '@tenure/contracts';

const Text = Type.String({ minLength: 1, maxLength: 255 });

const CreateArguments = Type.Object(
  {
    Destination: Type.String({ minLength: 1, maxLength: 2048 }),
    Protocol: Type.Optional(Text),
    Context: Type.Optional(Type.String({ maxLength: 255 })),
    EventTypes: Type.Optional(Type.Array(Text, { minItems: 1, maxItems: 32 })),
    HttpHeaders: Type.Optional(
      Type.Array(Type.Record(Text, Type.String({ maxLength: 4096 })), { maxItems: 32 }),
    ),
  },
  { additionalProperties: false },
);
const IdArguments = Type.Object(
  { id: Type.String({ pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$' }) },
  { additionalProperties: false },
);

/** A subscription as it is requested from a BMC. */
export type WantedSubscription = Required<
  Pick<Static<typeof CreateArguments>, 'Destination' | 'Protocol' | 'Context' | 'EventTypes'>
> &
  Pick<Static<typeof CreateArguments>, 'HttpHeaders'>;

const VISIBLE = ['Id', 'Context', 'Protocol', 'Destination', 'EventTypes'] as const;

/**
 * The subscription that a call of `create_subscription` requests, with Redfish's defaults.
 * @throws BadRequestError
 */
export function subscriptionIn(call: Readonly<Record<string, unknown>>): WantedSubscription {
  const { Destination, Protocol, Context, EventTypes, HttpHeaders } = parse(
    CreateArguments,
    call,
    'create_subscription',
  );
  const url = URL.parse(Destination);
  if (url === null || url.hostname === '' || !['http:', 'https:'].includes(url.protocol))
    throw new BadRequestError('Destination must be an http or https address.');
  return {
    Destination,
    Protocol: Protocol ?? 'Redfish',
    Context: Context ?? '',
    EventTypes: EventTypes ?? ['Alert'],
    ...(HttpHeaders !== undefined && HttpHeaders.length > 0 && { HttpHeaders }),
  };
}

/**
 * The `id` of a call about one subscription.
 * @throws BadRequestError
 */
export const subscriptionIdIn = (call: Readonly<Record<string, unknown>>): string =>
  parse(IdArguments, call, 'subscription').id;

/** The members of a subscription that are returned: its headers may contain secrets. */
export const visibleFields = (
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(VISIBLE.flatMap((key) => (key in data ? [[key, data[key]]] : [])));
