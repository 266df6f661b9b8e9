import { type MissingFact, type NearestMiss } from '@tenure/policy';

/** For people, the nearest first. */
export const missLines = (misses: readonly NearestMiss[]): readonly string[] =>
  misses.flatMap(({ grant, about, missing }) => [
    `  ${grant}${about === '' ? '' : `: ${about}`}`,
    ...missing.map((each) => `      ${factWords(each)}`),
  ]);

const factWords = ({ fact, has, needs, of }: MissingFact): string =>
  `${fact}: has ${told(has)}, needs ${told(needs)}${of === undefined ? '' : ` (its ${of})`}`;

function told(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
}
