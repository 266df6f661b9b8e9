import { type JsonObject, memberOf } from './json-object.js';
import { parseOverlay } from './overlay-text.js';
import { type PolicyMaterial } from './policy-material.js';

/** File, line and text of a part of a policy. */
export interface RulePlace {
  readonly file: string;
  /** From 1; undefined where the file is not in the bundle as it was written. */
  readonly line: number | undefined;
  readonly text: string;
}

/** The file of the sources whose rows the bundle holds as data. */
const ACTIONS_FILE = 'policies-rego/tenure/actions/data.yaml';
const GRANTS_PACKAGE = 'package tenure.grants';
const CUSTOM_PACKAGE = 'package tenure.custom';
/** The rule that puts the name of a relation and that of a role together, as in `owner_member`. */
const RELATION_AND_ROLE = 'concat("_", [related, role])';

interface Block {
  readonly line: number;
  readonly text: string;
}

/** The rules in Rego that give a grant. */
export function grantPlaces(
  grant: string,
  { sources }: Pick<PolicyMaterial, 'sources'>,
): readonly RulePlace[] {
  if (grant === 'custom') return rulesWith(sources, CUSTOM_PACKAGE, 'granted(');
  const named = rulesWith(sources, GRANTS_PACKAGE, JSON.stringify(grant));
  return named.length > 0 ? named : rulesWith(sources, GRANTS_PACKAGE, RELATION_AND_ROLE);
}

/**
 * The row of an action, and the file that has the last word about it: an overlay, or the table.
 * @param data with overlays
 * @returns undefined for an action that the table does not have
 */
export function rowPlace(
  action: string,
  data: JsonObject,
  { overlays }: Pick<PolicyMaterial, 'overlays'>,
): RulePlace | undefined {
  const row = memberOf(memberOf(memberOf(data, 'tenure'), 'actions'), action);
  if (row === undefined) return undefined;
  const place = overlayPlace(action, overlays) ?? { file: ACTIONS_FILE, line: undefined };
  return { ...place, text: `${action}: ${JSON.stringify(row, null, 2)}` };
}

const rulesWith = (
  sources: PolicyMaterial['sources'],
  packageLine: string,
  text: string,
): readonly RulePlace[] =>
  Object.entries(sources)
    .filter(([, source]) => source.split('\n').includes(packageLine))
    .flatMap(([file, source]) =>
      blocksOf(source)
        .filter((block) => block.text.includes(text))
        .map((block) => ({ file, ...block })),
    );

/** Splits a source at the empty lines that OPA writes between rules. */
function blocksOf(source: string): readonly Block[] {
  let line = 1;
  return source.split(/\n{2,}/u).flatMap((text) => {
    const at = source.split('\n').indexOf(text.split('\n')[0] ?? '', line - 1) + 1;
    line = Math.max(line, at);
    return text.trim() === '' ? [] : [{ line, text: text.trimEnd() }];
  });
}

const overlayPlace = (
  action: string,
  overlays: PolicyMaterial['overlays'],
): Pick<RulePlace, 'file' | 'line'> | undefined =>
  overlays
    .flatMap(({ file, text }) =>
      parseOverlay(file, text)
        .filter((row) => row.action === action)
        .map(({ line }) => ({ file, line })),
    )
    .at(-1);
