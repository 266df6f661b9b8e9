import { type HandoverRecord } from '@tenure/contracts';
import { printable } from '../../terminal/printable.js';
import { type NodeRecords } from './custody-client.js';

/** A node by its name, if it has one, and its uuid. */
export const nodeTitle = ({ uuid, name }: NodeRecords['node']): string =>
  name === null ? printable(uuid) : `${printable(name)} (${printable(uuid)})`;

/** The handovers of a node for people, the oldest first. The fields that were sealed are listed without their values. */
export function recordsLines({ node, records, malformed }: NodeRecords): readonly string[] {
  const done = records.filter(({ status }) => status === 'complete').length;
  const open = records.length - done;
  const bad = malformed.length === 0 ? '' : `, ${String(malformed.length)} malformed`;
  return [
    `${nodeTitle(node)}: ${String(done)} complete, ${String(open)} under way${bad}`,
    ...records.flatMap(handoverLines),
    ...malformed.map((uuid) => `  -  ${printable(uuid)} is malformed`),
  ];
}

const handoverLines = (record: HandoverRecord): readonly string[] => [
  [
    record.number === null ? '  -' : `  #${String(record.number)}`,
    printable(record.completed_at ?? record.opened_at),
    record.status,
    record.cause,
    `${project(record.from_project)} -> ${project(record.to_project)}`,
  ].join('  '),
  ...line('uuid', printable(record.uuid)),
  ...line('opened', [printable(record.opened_at), openedBy(record)].filter(Boolean).join(', ')),
  ...line('owner', project(record.owner)),
  ...line('failed', record.reason === null ? '' : printable(record.reason)),
  ...line('agent', record.agent === null ? '' : printable(record.agent)),
  ...stepLines(record),
  ...record.erased.flatMap((erased, index) =>
    line(index === 0 ? 'erased' : '', pairs(said(erased))),
  ),
  ...line('put back', pairs(record.put_back)),
  ...record.firmware.flatMap((part, index) => line(index === 0 ? 'firmware' : '', pairs(part))),
  ...line('sealed', Object.keys(record.sealed).map(printable).join(', ')),
];

const project = (id: string | null): string => (id === null ? '(no project)' : printable(id));

const line = (title: string, text: string): readonly string[] =>
  text === '' ? [] : [`    ${title.padEnd(9)} ${text}`];

const openedBy = (record: HandoverRecord): string =>
  [
    ['user', record.user_id],
    ['decision', record.decision_id],
    ['request', record.request_id],
    ['lease', record.lease_uuid],
    ['allocation', record.allocation_uuid],
  ]
    .filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    .map(([name, id]) => `${name} ${printable(id)}`)
    .join(', ');

const stepLines = ({ steps }: HandoverRecord): readonly string[] =>
  steps.flatMap(({ step, outcome, at, detail }, index) =>
    line(
      index === 0 ? 'steps' : '',
      [
        printable(at),
        printable(step),
        printable(outcome),
        ...(detail === null ? [] : [`(${printable(detail)})`]),
      ].join(' '),
    ),
  );

const pairs = (members: Readonly<Record<string, unknown>>): string =>
  Object.entries(members)
    .map(([name, value]) => `${printable(name)}=${valueText(value)}`)
    .join(' ');

/** Members with a value. */
const said = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const valueText = (value: unknown): string =>
  printable(typeof value === 'string' ? value : JSON.stringify(value));
