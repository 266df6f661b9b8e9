import { type Clients, type OscResult } from './clients.js';
import { type Persona } from './personas.js';

/** `openstack baremetal …`, typed as on a terminal. */
export interface CommandLine {
  /** `ok`, or what the client complained of. */
  readonly say: (persona: Persona, line: string) => Promise<string>;
  /**
   * Returns the client's JSON output; `-f json` is added.
   * @throws Error with what the client complained of
   */
  readonly json: (persona: Persona, line: string) => Promise<unknown>;
  /**
   * Returns the client's plain text output, a row a line.
   * @throws Error with what the client complained of
   */
  readonly lines: (persona: Persona, line: string) => Promise<readonly string[]>;
}

export function commandLine(clients: Clients): CommandLine {
  const run = (persona: Persona, line: string): Promise<OscResult> =>
    clients.osc(persona, 'baremetal', ...argumentsOf(line));
  const printed = async (persona: Persona, line: string): Promise<string> => {
    const result = await run(persona, line);
    if (result.code !== 0) throw new Error(`openstack baremetal ${line}: ${complaintOf(result)}`);
    return result.stdout;
  };
  return {
    say: async (persona, line) => saidBy(await run(persona, line)),
    json: async (persona, line) => JSON.parse(await printed(persona, `${line} -f json`)) as unknown,
    lines: async (persona, line) =>
      (await printed(persona, line)).split('\n').filter((text) => text !== ''),
  };
}

/** Splits a command line into arguments; text between single quotes is one argument. */
const argumentsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The client's error text, without the id of the request, which is another each time. */
const complaintOf = ({ stderr }: OscResult): string =>
  stderr.replaceAll(/ \(Request-ID: req-[0-9a-f-]{36}\)/gu, '').trim();

/** `ok`, or what the client complained of. */
function saidBy(result: OscResult): string {
  const complaint = complaintOf(result);
  if (complaint !== '') return complaint;
  return result.code === 0 ? 'ok' : `exit ${String(result.code)}`;
}
