import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandLine, commandLine } from '../support/clients-command-line.js';
import { type Clients, startClients } from '../support/clients.js';
import { inProject, systemAdmin } from '../support/personas.js';
import { sharedTenure } from '../support/tenure.js';
import { LESSEE, OTHER, OWNER } from './access/cast.js';
import { emptyFleet, type Fleet, Stage } from './access/fixtures.js';
import { nodeRows } from './clients/node-rows.js';
import { otherRows } from './clients/other-rows.js';
import { type Row } from './clients/row.js';

// python-openstackclient with python-ironicclient: what each command does or says, caller by caller. Every caller of
// every row has resources of its own, so that rows do not affect one another.

const CALLERS = [
  ['system admin', systemAdmin],
  ["owner's admin", inProject(OWNER, 'admin')],
  ["owner's member", inProject(OWNER, 'member')],
  ["lessee's admin", inProject(LESSEE, 'admin')],
  ["lessee's member", inProject(LESSEE, 'member')],
  ["a stranger's admin", inProject(OTHER, 'admin')],
] as const;

type Said = Readonly<Record<string, string>>;

/** A command for a caller, and what the client then says. */
interface Cell {
  readonly caller: (typeof CALLERS)[number];
  readonly command: string;
  readonly expected: string;
}

function expectedOf(row: Row, letter: string): string {
  const { denied = 'nothing', missing = 'Node {node}', before = '' } = row;
  if (letter === 'A') return 'ok';
  if (letter === '3')
    return `${before}Access was denied to the following resource: baremetal:${denied} (HTTP 403)`;
  if (letter === '4') return `${before}${missing} could not be found. (HTTP 404)`;
  throw new Error(`no letter ${letter}`);
}

const cellsOf = (row: Row, fleet: Fleet): readonly Cell[] =>
  CALLERS.flatMap((caller, column) => {
    const letter = row.expect[column] ?? '?';
    if (letter === '.') return [];
    const stage = new Stage(fleet, row.node);
    const command = stage.filled(row.command);
    return [{ caller, command, expected: stage.filled(expectedOf(row, letter)) }];
  });

const fleet = emptyFleet();
const TABLE = [...nodeRows, ...otherRows].map((row) => ({ row, cells: cellsOf(row, fleet) }));

const saidIn = (cells: readonly Cell[], say: (cell: Cell) => string): Said =>
  Object.fromEntries(cells.map((cell) => [cell.caller[0], say(cell)]));

let clients: Clients;
let baremetal: CommandLine;

beforeAll(async () => {
  const tenure = await sharedTenure();
  clients = startClients(tenure);
  baremetal = commandLine(clients);
  await tenure.importDocument(fleet);
});

afterAll(() => {
  clients.stop();
});

describe('openstack baremetal', () => {
  it.each(TABLE.map(({ row, cells }) => [row.command, row.expect, cells] as const))(
    '%s: %s',
    async (_command, _expect, cells) => {
      const said = await Promise.all(
        cells.map(({ caller, command }) => baremetal.say(caller[1], command)),
      );
      expect(saidIn(cells, (cell) => said[cells.indexOf(cell)] ?? '')).toEqual(
        saidIn(cells, ({ expected }) => expected),
      );
    },
  );

  it.each([
    'node list --include-children',
    'node list --long',
    'port list',
    'port group list',
    'volume connector list',
    'volume target list',
    'allocation list',
  ])('%s shows a stranger nothing', async (command) => {
    expect(await baremetal.json(inProject(OTHER, 'admin'), command)).toEqual([]);
  });
});
