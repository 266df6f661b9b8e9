import { type Answer, ask } from '../../support/http-client.js';
import { type Persona } from '../../support/personas.js';
import { type Tenure } from '../../support/tenure.js';
import { A, hasMark } from './tenants.js';

/** A request in which `{it}` is something of B, or something like it that nobody has, and `{port}` is A's own port. */
export interface Probe {
  readonly line: string;
  readonly body?: unknown;
}

/** The caller, and its microversion. */
export interface Asker {
  readonly tenure: Tenure;
  readonly persona: Persona | null;
  readonly version?: string;
}

/** Of the request, or of the connection, whose age decides whether an answer ends it. */
const CHANGING =
  /^(date|x-openstack-request-id|openstack-request-id|x-tenure-decision-id|connection|keep-alive)$/u;

/** The answer as a caller sees it: the caller's own input replaced, and without values that differ every time. */
export interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** `GET` of each target. */
export const gets = (...targets: readonly string[]): readonly Probe[] =>
  targets.map((target) => ({ line: `GET ${target}` }));

export const probe = (line: string, body?: unknown): Probe => ({
  line,
  ...(body !== undefined && { body }),
});

/** An update of one member. */
export const patch = (target: string, member: string, value: unknown): Probe =>
  probe(`PATCH ${target}`, [{ op: 'add', path: `/${member}`, value }]);

export const titleOf = ({ line, body }: Probe): string =>
  body === undefined ? line : `${line} ${JSON.stringify(body)}`;

/** The answer to a probe about `ident`. */
export const answerTo = (
  { tenure, persona, version = 'latest' }: Asker,
  { line, body }: Probe,
  ident: string,
): Promise<Answer> =>
  ask(tenure, persona, filled(line, ident), {
    version,
    ...(body !== undefined && { body: filled(JSON.stringify(body), ident) }),
  });

export function seenIn(answer: Answer, ident: string): Seen {
  const sent = [ident, encodeURIComponent(ident)];
  const request = answer.headers['x-openstack-request-id'] ?? 'none';
  const cleaned = (text: string): string =>
    sent.reduce((left, one) => left.replaceAll(one, 'IDENT'), text).replaceAll(request, 'REQUEST');
  return {
    status: answer.status,
    headers: Object.entries(answer.headers)
      .filter(([name]) => !CHANGING.test(name))
      .map(([name, value]) => [name, cleaned(value)]),
    text: cleaned(answer.text),
  };
}

/** Whether B shows in an answer, apart from what the caller sent. */
export const showsB = ({ headers, text }: Seen): boolean =>
  hasMark(text) || headers.some(([, value]) => hasMark(value));

const filled = (text: string, ident: string): string =>
  text.replaceAll(/\{([a-zA-Z]+)\}/gu, (_, name: string) => {
    const value = name === 'it' ? ident : A.names[name];
    if (value === undefined) throw new Error(`A has nothing that is called {${name}}`);
    return value;
  });
