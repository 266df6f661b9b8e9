import {
  askerFor,
  type JsonObject,
  missesOf,
  type NearestMiss,
  type PolicyAnswer,
  questionAbout,
  subjectTowards,
  typeFor,
} from '@tenure/policy';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { type InventoryOptions } from '../../inventory-client.js';
import { examples } from '../examples.js';
import {
  type AskOptions,
  bundleOption,
  loadPolicy,
  overlayOption,
  switchOption,
} from '../policy-options.js';
import { missLines } from './misses.js';
import { addSubjectOptions, callerOf, type SubjectOptions } from './subject.js';
import { switchesFrom } from './switches.js';
import { addTargetOptions, targetNamed } from './target.js';

interface CanOptions extends AskOptions, SubjectOptions, InventoryOptions {
  readonly on?: string;
  readonly field: readonly string[];
  readonly requestedOwner?: string;
}

const DENIED = 1;

/**
 * Adds `tenure policy can`: one question, and for a denial the missing facts. It throws ExitStatus 1 for a denial,
 * PolicyRefused or PolicyFailure when the policy cannot be evaluated.
 */
export function addCanCommand(policy: Command, context: CommandContext): void {
  const command = policy
    .command('can')
    .description('evaluate one question; for a denial, show the missing facts')
    .argument('<action>', 'as baremetal:node:set_power_state');
  addTargetOptions(addSubjectOptions(command), context.env)
    .option(
      '--on <resource>',
      'owner=…,lessee=…,creator=…,public=…,type=…, or a node by uuid or name',
    )
    .option('--field <name...>', 'field that is written; repeat for several', append, [])
    .option('--requested-owner <project>', 'owner that the body asks for')
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(switchOption())
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      `${examples(
        'tenure policy can baremetal:node:set_power_state --as own_reader --on node-1',
        'tenure policy can baremetal:node:update --project p1 --role member --on owner=p1 --field extra',
      )}\n\nExit status: 0 allowed, 1 denied, 2 could not run.`,
    )
    .action((action: string, options: CanOptions) => can(action, options, context));
}

const append = (value: string, all: readonly string[]): readonly string[] => [...all, value];

async function can(action: string, options: CanOptions, context: CommandContext): Promise<void> {
  const policy = await loadPolicy(options);
  const switches = switchesFrom(context.env, options.switch);
  const caller = callerOf(options);
  const tenancy =
    options.on === undefined
      ? (caller.persona?.tenancy ?? {})
      : await targetNamed(options.on, options);
  const target = { type: typeFor(policy, action), ...tenancy };
  const subject = subjectTowards(caller, target);
  const under = { ...switches, ...caller.persona?.switches };
  const question = { ...questionAbout(action, subject, target), ...writePart(options) };
  const answer = askerFor(await policy.under(under))(question);
  const misses = await missesOf(policy, under, question, answer);
  const { filter, fields, set, conditions = [], ...verdict } = answer;
  const document = {
    ...verdict,
    obligations: { filter, fields, set, conditions },
    nearest_misses: misses,
    question,
    revision: policy.revision,
  };
  context.stdout.answer({ json: options.json, document, lines: () => linesOf(answer, misses) });
  if (!answer.allow) throw new ExitStatus(DENIED);
}

const writePart = ({ field, requestedOwner }: CanOptions): JsonObject => ({
  ...(field.length > 0 && {
    fields: field.map((name) => (name.startsWith('/') ? name : `/${name}`)),
  }),
  ...(requestedOwner !== undefined && { requested: { owner: requestedOwner } }),
});

function linesOf(answer: PolicyAnswer, misses: readonly NearestMiss[]): readonly string[] {
  if (answer.allow) return [`allowed by ${answer.grants.join(', ')}`, ...obligationLines(answer)];
  const seen = answer.visible ? 'visible (403)' : 'not visible (404)';
  return [
    `denied, ${seen}: ${answer.reason}, ${answer.denied.join(', ')}`,
    ...(misses.length > 0 ? ['It would be allowed by'] : []),
    ...missLines(misses),
  ];
}

const obligationLines = ({
  filter,
  fields,
  set,
  conditions = [],
}: PolicyAnswer): readonly string[] => [
  ...(filter.mode === 'any_of'
    ? listed(
        'rows',
        filter.predicates.map(({ field, value }) => `${field} ${value}`),
      )
    : listed('rows', filter.mode === 'all' ? ['all'] : [])),
  ...listed('masked', fields.masked),
  ...listed('read-only', fields.read_only),
  ...listed('written as owner', set.owner === undefined ? [] : [set.owner]),
  ...listed(
    'unless',
    conditions.map((one) => `${one.field} is ${one.op === 'null' ? 'set' : one.value}`),
  ),
];

const listed = (label: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`  ${label}: ${names.join(', ')}`];
