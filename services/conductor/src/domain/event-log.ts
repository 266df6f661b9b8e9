import { type Static, Type } from '@sinclair/typebox';
import { BadRequestError, parse } from '@tenure/contracts';
import { withoutBootKeys } from './boot-key.js';

/** Severities as Redfish has them, the least first. */
const SEVERITIES = ['ok', 'warning', 'critical'] as const;
type Severity = (typeof SEVERITIES)[number];

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;
const MAX_TEXT = 1024;

const ServiceName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$' });
const ReadArguments = Type.Object(
  {
    service: Type.Optional(ServiceName),
    limit: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 1, maximum: MAX_LIMIT }),
        Type.String({ pattern: '^[0-9]{1,4}$' }),
      ]),
    ),
    severity: Type.Optional(Type.String({ maxLength: 16 })),
  },
  { additionalProperties: false },
);
const ClearArguments = Type.Object(
  { service: Type.Optional(ServiceName) },
  { additionalProperties: false },
);

/** A query of a log. */
export interface LogQuery {
  /** Id of the log; undefined: the one that a person would look into first. */
  readonly service: string | undefined;
  readonly limit: number;
  /** The least severity that counts; undefined: all. */
  readonly severity: Severity | undefined;
}

/** An entry of a log as it is returned. */
export interface LogEntry {
  readonly id: string | null;
  /** As the BMC writes it: its clock may be wrong. */
  readonly created: string | null;
  readonly severity: string | null;
  readonly message: string | null;
  readonly message_id: string | null;
  readonly sensor: string | null;
  readonly originator: string | null;
}

const ADDRESS_CREDENTIALS = /(?<scheme>[a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/@]+@/giu;

/**
 * The query of a call of `get_event_log`.
 * @throws BadRequestError
 */
export function logQueryIn(call: Readonly<Record<string, unknown>>): LogQuery {
  const args = parse(ReadArguments, call, 'get_event_log');
  const severity = SEVERITIES.find((one) => one === args.severity?.toLowerCase());
  if (args.severity !== undefined && severity === undefined)
    throw new BadRequestError(`severity must be one of ${SEVERITIES.join(', ')}.`);
  return { service: args.service, limit: limitIn(args), severity };
}

/**
 * The log that a call of `clear_event_log` names.
 * @throws BadRequestError
 */
export const logToClearIn = (call: Readonly<Record<string, unknown>>): string | undefined =>
  parse(ClearArguments, call, 'clear_event_log').service;

/**
 * The plain shape of a Redfish LogEntry.
 * @param password of the BMC, which some of them write into their log
 */
export function entryView(
  data: Readonly<Record<string, unknown>>,
  password: string | null,
): LogEntry {
  const text = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = visibleText(data[name], password);
      if (value !== null) return value;
    }
    return null;
  };
  return {
    id: text('Id', 'RecordId'),
    created: text('Created', 'EventTimestamp'),
    severity: text('Severity'),
    message: text('Message'),
    message_id: text('MessageId'),
    sensor: text('SensorType', 'OemSensorType'),
    originator: text('Originator', 'OriginatorType'),
  };
}

/** Whether an entry is severe enough; one that does not say how severe it is counts as the least. */
export function isSevere(
  data: Readonly<Record<string, unknown>>,
  least: Severity | undefined,
): boolean {
  if (least === undefined) return true;
  const severity = String(data['Severity']).toLowerCase();
  const rank = SEVERITIES.findIndex((one) => one === severity);
  return rank >= SEVERITIES.indexOf(least) || (rank === -1 && least === 'ok');
}

function limitIn({ limit = DEFAULT_LIMIT }: Static<typeof ReadArguments>): number {
  const count = Number(limit);
  if (count < 1 || count > MAX_LIMIT)
    throw new BadRequestError(`limit must be a number from 1 to ${String(MAX_LIMIT)}.`);
  return count;
}

/** A text without secrets: the password of the BMC, credentials in URLs, and keys of boot media. */
function visibleText(value: unknown, password: string | null): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const plain = withoutBootKeys(value).replaceAll(ADDRESS_CREDENTIALS, '$<scheme>******@');
  const hidden = password === null ? plain : plain.replaceAll(password, '******');
  return hidden.slice(0, MAX_TEXT);
}
