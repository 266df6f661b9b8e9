import { isJsonObject, type JsonObject, tablesOf } from '@tenure/policy';
import { counted } from '../../../terminal/counted.js';
import { type LoadedPolicy } from '../policy-options.js';
import { ROLE_SETS, rolesText } from './callers.js';
import { type ChangeGroup, type Direction } from './changes.js';
import { type Both, type Comparison } from './compare.js';
import { type Model, type SwitchSetting } from './model.js';

/** One side of a diff. */
export interface Side {
  readonly bundle: string;
  readonly overlays: readonly string[];
  readonly policy: LoadedPolicy;
}

/** The input of a report. */
export interface DiffReport {
  readonly sides: Both<Side>;
  readonly model: Model;
  /** The only actions whose answers can differ, by reading both tables; undefined when all were compared. */
  readonly reached: readonly string[] | undefined;
  readonly comparison: Comparison;
  /** Why the model may be incomplete; empty when it is complete. */
  readonly gaps: readonly string[];
}

/** A switch whose default differs. */
interface SwitchDefault {
  readonly name: string;
  readonly old: unknown;
  readonly new: unknown;
}

const KIND_TEXTS: Readonly<Record<ChangeGroup['kind'], Readonly<Record<Direction, string>>>> = {
  sight: { gained: 'visible', lost: 'not visible', other: '' },
  permission: { gained: 'allowed', lost: 'refused', other: '' },
  rows: { gained: 'more rows', lost: 'fewer rows', other: '' },
  readable: { gained: 'fields visible', lost: 'fields masked', other: '' },
  writable: { gained: 'fields writable', lost: 'fields read-only', other: '' },
  condition: { gained: 'condition removed', lost: 'condition added', other: '' },
  wording: { gained: '', lost: '', other: 'same outcome, different text' },
};

const HEAD = ['action', 'change', 'scope', 'roles', 'relation', 'switches', 'by', 'fields'];

const SECTIONS: readonly (readonly [Direction, string])[] = [
  ['gained', 'Gained'],
  ['lost', 'Lost'],
  ['other', 'Same outcome, different text'],
];

export function switchDefaults([older, newer]: Both<Side>): readonly SwitchDefault[] {
  const [one, other] = [older, newer].map(({ policy }) => tablesOf(policy.data).switches);
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  return [...names]
    .map((name) => ({ name, old: one?.[name] ?? null, new: other?.[name] ?? null }))
    .filter(({ old, new: now }) => old !== now);
}

/** The report for people, in columns. */
export function reportLines(report: DiffReport): readonly string[] {
  const { model } = report;
  const sections = sectionsOf(report, (title, groups) => [
    `== ${title}`,
    ...groups.flatMap((group) => {
      const [action, change, ...facts] = cellsOf(group, model);
      const lines = facts.map((fact, at) => `    ${(HEAD[at + 2] ?? '').padEnd(9)} ${fact}`);
      return [`${String(action)}: ${String(change)}`, ...lines];
    }),
    '',
  ]);
  return [...sections, ...defaultLines(report), sizeText(report), verdictOf(report)];
}

/** The report for a pull request. */
export function reportMarkdown(report: DiffReport): readonly string[] {
  const { model, sides } = report;
  const sections = sectionsOf(report, (title, groups) => [
    `### ${title}`,
    '',
    row(HEAD),
    row(HEAD.map(() => '---')),
    ...groups.map((group) => {
      const [action = '', ...others] = cellsOf(group, model);
      return row([`\`${action}\``, ...others]);
    }),
    '',
  ]);
  const named = sides.map(({ policy }) => `\`${policy.revision}\``).join(' to ');
  return [
    '## Who may do what: changes',
    '',
    verdictOf(report),
    '',
    ...defaultLines(report).flatMap((line) => [line, '']),
    ...sections,
    `From ${named}. ${sizeText(report)}.`,
  ];
}

/** The report for programs: one document. */
export function reportDocument(report: DiffReport): JsonObject {
  const { comparison, model, sides, gaps } = report;
  const of = (direction: Direction): readonly JsonObject[] =>
    groupsOf(report, direction).map((group) => groupDocument(group, model));
  return {
    old: sideDocument(sides[0]),
    new: sideDocument(sides[1]),
    complete: gaps.length === 0,
    ...(gaps.length > 0 && { incomplete_because: gaps }),
    same: comparison.changes.length === 0 && switchDefaults(sides).length === 0,
    questions: comparison.questions,
    model: {
      questions: model.questions,
      actions: model.actions,
      scopes: model.scopes.map(({ name }) => name),
      role_sets: ROLE_SETS,
      types: Object.keys(model.tables.resources).length,
      field_tables: Object.values(model.tables.fieldTables).filter(isJsonObject).length,
      switches: model.switches,
      switch_combinations: model.settings.length,
    },
    switch_defaults: switchDefaults(sides),
    gained: of('gained'),
    lost: of('lost'),
    other: of('other'),
  };
}

/** The sections that have changes, as `write` writes each. */
const sectionsOf = (
  report: DiffReport,
  write: (title: string, groups: readonly ChangeGroup[]) => readonly string[],
): readonly string[] =>
  SECTIONS.flatMap(([direction, title]) => {
    const groups = groupsOf(report, direction);
    return groups.length === 0 ? [] : write(title, groups);
  });

/** Cells of a table for people: action, change, scope, roles, relation, switches, by, what. */
const cellsOf = (group: ChangeGroup, model: Model): readonly string[] => [
  group.action,
  KIND_TEXTS[group.kind][group.direction],
  group.scopes.join(', '),
  rolesText(group.roles.flatMap((at) => [ROLE_SETS[at] ?? []])),
  listed(group.relations),
  switchText(group.settings, model),
  group.grants.join(', ') || '–',
  listed([...group.fields, ...group.details]),
];

const defaultLines = (report: DiffReport): readonly string[] =>
  switchDefaults(report.sides).map(
    ({ name, old, new: now }) =>
      `The default of ${name} was ${JSON.stringify(old)} and is ${JSON.stringify(now)}.`,
  );

const sizeText = ({ model }: DiffReport): string =>
  `${counted(model.questions)} questions to each: ${String(model.actions)} actions, ` +
  `${String(model.scopes.length)} scopes, ${String(ROLE_SETS.length)} sets of roles, every owner, lessee and creator, ` +
  `${counted(model.cells.length)} batches, ${counted(model.settings.length)} combinations of ` +
  `${String(model.switches.length)} switches`;

function verdictOf({ comparison, sides, gaps, reached }: DiffReport): string {
  const changed = comparison.changes.reduce((sum, { questions }) => sum + questions, 0);
  const same =
    changed === 0
      ? 'Every answer is the same.'
      : `${counted(changed)} answers changed; all others are the same.`;
  const isOne = sides[0].policy.revision === sides[1].policy.revision;
  const digest = isOne
    ? ' It is one policy: the digests are the same, so no question was needed.'
    : '';
  const others =
    isOne || reached === undefined
      ? ''
      : ' The rules are the same, and no other action has or names a changed row: only these were compared.';
  return `${same}${digest}${others}${gaps.map((gap) => ` Not complete: ${gap}.`).join('')}`;
}

const groupsOf = ({ comparison }: DiffReport, direction: Direction): readonly ChangeGroup[] =>
  comparison.changes.filter((group) => group.direction === direction);

const listed = (names: readonly string[]): string =>
  names.filter((name) => name !== '').join('; ') || '–';

const switchText = (at: readonly number[], model: Model): string =>
  settingsOf(at, model)
    .map((setting) =>
      Object.entries(setting)
        .map(([name, on]) => `${name} ${on ? 'on' : 'off'}`)
        .join(', '),
    )
    .join('; or ') || 'any';

/** The switches that are equal in all settings, if the settings are all combinations of the others; else every setting. */
function settingsOf(
  at: readonly number[],
  { settings, switches }: Model,
): readonly SwitchSetting[] {
  const chosen = at.map((each) => settings[each] ?? {});
  const fixed = switches.filter((name) => chosen.every((each) => each[name] === chosen[0]?.[name]));
  const common = Object.fromEntries(fixed.map((name) => [name, chosen[0]?.[name] === true]));
  return chosen.length === 2 ** (switches.length - fixed.length) ? [common] : chosen;
}

const row = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;

const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`);

const groupDocument = (group: ChangeGroup, model: Model): JsonObject => ({
  action: group.action,
  change: KIND_TEXTS[group.kind][group.direction],
  kind: group.kind,
  scopes: group.scopes,
  roles: group.roles.map((at) => ROLE_SETS[at]),
  relations: group.relations,
  types: group.types,
  fields: group.fields,
  details: group.details,
  grants: group.grants,
  switches: settingsOf(group.settings, model),
  questions: group.questions,
  example: group.example,
});

const sideDocument = ({ bundle, overlays, policy }: Side): JsonObject => ({
  bundle,
  overlays,
  revision: policy.revision,
});
