import { type JsonObject } from '@tenure/policy';
import { counted } from '../../../terminal/counted.js';
import { type Examination } from './examine.js';
import { type Answered, questionOf } from './query.js';
import { type Finding, type Violation } from './tally.js';
import { changedIn, type SwitchSetting } from './vocabulary.js';

/** How many actions are named in a line before it says "and N more". */
const NAMED = 8;

/** The verified policy, for the head of a report. */
export interface Subject {
  readonly bundle: string;
  readonly overlays: readonly string[];
  readonly revision: string;
  /** The switches of the policy itself. */
  readonly defaults: SwitchSetting;
}

const RELATION_TEXTS = {
  none: '',
  neither: ' of others',
  unowned: ' without owner and lessee',
  owner: ' that it owns',
  lessee: ' that it leases',
  both: ' that it owns and leases',
  blank: ' whose owner and lessee are empty texts',
} as const;

/** A question as a sentence. */
export function sentenceOf(answered: Answered, defaults: SwitchSetting): string {
  const { scope, roles, action, setting } = answered.query;
  const who = roles.length === 0 ? 'nobody in particular (no role)' : roles.join(' and ');
  return `${who}, ${scope.name}, asks ${action} ${targetText(answered)}${fieldText(answered)}; ${switchText(setting, defaults)}`;
}

/** The report for people. */
export function reportLines(
  { defaults }: Pick<Subject, 'defaults'>,
  { questions, findings }: Examination,
): readonly string[] {
  const broken = findings.filter(({ smallest }) => smallest !== undefined).length;
  const verdict =
    broken === 0
      ? `clean: ${counted(findings.length)} invariants hold`
      : `${counted(broken)} of ${counted(findings.length)} invariants are broken`;
  const lines = findings.flatMap((finding) => findingLines(finding, defaults));
  return [...lines, `${counted(questions)} questions, ${verdict}`];
}

/** The report for programs: one document. */
export const reportDocument = (
  { defaults, ...subject }: Subject,
  { questions, findings }: Examination,
): JsonObject => ({
  ...subject,
  switches: defaults,
  questions,
  clean: findings.every(({ smallest }) => smallest === undefined),
  invariants: findings.map(({ smallest, ...finding }) => ({
    ...finding,
    ...(smallest !== undefined && {
      smallest: {
        description: sentenceOf(smallest.first, defaults),
        because: smallest.because,
        ...answeredDocument(smallest.first),
        ...(smallest.second !== undefined && { compared_with: answeredDocument(smallest.second) }),
      },
    }),
  })),
});

function targetText({ query: { target } }: Answered): string {
  if (target.type === 'none') return 'of nothing in particular';
  const publicity = target.public === undefined ? '' : target.public ? 'public ' : 'private ';
  const text = `${publicity}${target.type}`;
  const article = /^[aeiou]/u.test(text) ? 'an' : 'a';
  return `of ${article} ${text}${RELATION_TEXTS[target.relation]}`;
}

function fieldText({ query: { field } }: Answered): string {
  if (field === undefined) return '';
  return `, writing ${field.name}${field.value === undefined ? '' : ` = ${String(field.value)}`}`;
}

function switchText(setting: SwitchSetting, defaults: SwitchSetting): string {
  const changed = changedIn(setting, defaults);
  return changed.length === 0
    ? 'switches as in the bundle'
    : changed.map((name) => `${name} ${setting[name] ? 'on' : 'off'}`).join(', ');
}

function findingLines(finding: Finding, defaults: SwitchSetting): readonly string[] {
  const { name, sentence, looked, broken, actions, smallest } = finding;
  if (smallest === undefined) return [`ok      ${name} (${counted(looked)})`];
  return [
    `BROKEN  ${name}`,
    `    ${sentence}`,
    `    ${counted(broken)} of ${counted(looked)} answers break it: ${actionsLine(actions)}`,
    '    The smallest:',
    ...violationLines(smallest, defaults),
  ];
}

function actionsLine(actions: readonly string[]): string {
  const more = actions.length - NAMED;
  return `${actions.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${counted(more)} more` : ''}`;
}

const violationLines = (
  { first, second, because }: Violation,
  defaults: SwitchSetting,
): readonly string[] => [
  `    ${sentenceOf(first, defaults)}`,
  `    ${because}`,
  ...(second === undefined ? [] : [`    compared with: ${sentenceOf(second, defaults)}`]),
  `    ${JSON.stringify({ switches: first.query.setting, input: questionOf(first.query) })}`,
];

const answeredDocument = (answered: Answered): JsonObject => ({
  switches: answered.query.setting,
  question: questionOf(answered.query),
  answer: answered.answer,
});
