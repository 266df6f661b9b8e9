import { type Answer, faultString } from '../../support/http-client.js';
import { seenIn } from '../noninterference/probe.js';

interface DistinctAnswer {
  readonly status: number;
  /** The sentence of the error; the ident of the request is `IDENT` in it. */
  readonly fault: string | null;
}

/**
 * The answers to one request about each of these, without those that a caller cannot distinguish (status, headers, body):
 * one, when the answers reveal nothing about the idents.
 */
export async function distinctAnswers(
  idents: readonly string[],
  askAbout: (ident: string) => Promise<Answer>,
): Promise<readonly DistinctAnswer[]> {
  const distinct = new Map<string, DistinctAnswer>();
  for (const ident of idents) {
    const seen = seenIn(await askAbout(ident), ident);
    distinct.set(JSON.stringify(seen), { status: seen.status, fault: faultString(seen.text) });
  }
  return [...distinct.values()];
}
