import { type MissingFact, type NearestMiss } from '@tenure/policy';

/** The nearest misses as text, the nearest first. */
export const missLines = (misses: readonly NearestMiss[]): readonly string[] =>
  misses.flatMap(({ grant, about, missing }) => [
    `  ${grant}${about === '' ? '' : `: ${about}`}`,
    ...missing.map((each) => `      ${factText(each)}`),
  ]);

const factText = ({ fact, has, needs, of }: MissingFact): string =>
  `${fact}: has ${valueText(has)}, needs ${valueText(needs)}${of === undefined ? '' : ` (its ${of})`}`;

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
}
