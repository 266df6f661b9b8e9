import { type Answer, faultString } from '../../support/http-client.js';
import { seenIn } from '../noninterference/probe.js';

interface Told {
  readonly status: number;
  /** The sentence of the error; what the caller asked about is `IDENT` in it. */
  readonly fault: string | null;
}

/**
 * The answers to one request about each of these, without those that a caller cannot tell apart (status, headers, body):
 * one, when nothing is told of what the idents are.
 */
export async function distinctAnswers(
  idents: readonly string[],
  askAbout: (ident: string) => Promise<Answer>,
): Promise<readonly Told[]> {
  const distinct = new Map<string, Told>();
  for (const ident of idents) {
    const seen = seenIn(await askAbout(ident), ident);
    distinct.set(JSON.stringify(seen), { status: seen.status, fault: faultString(seen.text) });
  }
  return [...distinct.values()];
}
