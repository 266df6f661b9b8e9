import {
  askerFor,
  byTopic,
  type Cell,
  cellOf,
  type JsonObject,
  LEGEND,
  memberOf,
  questionAbout,
  tablesOf,
  typeFor,
} from '@tenure/policy';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { examples, EXIT_STATUS } from '../examples.js';
import {
  type AskOptions,
  bundleOption,
  loadPolicy,
  overlayOption,
  switchOption,
} from '../policy-options.js';
import { addSubjectOptions, callerOf, type SubjectOptions } from './subject.js';
import { switchesFrom } from './switches.js';

interface WhatCanOptions extends AskOptions, SubjectOptions {}

const OTHER = 'other-project';
const OTHER_LESSEE = 'other-lessee';

/** Adds `tenure policy what-can`: every action for one caller. It throws as `can` does. */
export function addWhatCanCommand(policy: Command, context: CommandContext): void {
  const command = policy
    .command('what-can')
    .description('list what one caller may do with its own resources, and with those of others')
    .argument('[persona]', 'a caller of the matrix; or describe the caller by flags');
  addSubjectOptions(command)
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(switchOption())
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy what-can own_member',
        'tenure policy what-can --system --role reader --json',
      ) + EXIT_STATUS,
    )
    .action((persona: string | undefined, options: WhatCanOptions) =>
      whatCan(persona, options, context),
    );
}

async function whatCan(
  named: string | undefined,
  options: WhatCanOptions,
  context: CommandContext,
): Promise<void> {
  const { persona, subject } = callerOf({ ...options, ...(named !== undefined && { as: named }) });
  const policy = await loadPolicy(options);
  const switches = { ...switchesFrom(context.env, options.switch), ...persona?.switches };
  const ask = askerFor(await policy.under(switches));
  const { actions } = tablesOf(policy.data);
  const relations = relationsOf(subject?.['project_id']);
  const rows = Object.keys(actions)
    .sort()
    .map((action) => ({
      action,
      cells: relations.map(([, tenancy]) => {
        const target = { type: typeFor(policy, action), ...tenancy };
        const isList = memberOf(actions[action], 'kind') === 'list';
        return cellOf(ask(questionAbout(action, subject, target)), isList);
      }),
    }));
  const names = relations.map(([name]) => name);
  const document = {
    subject,
    revision: policy.revision,
    legend: Object.fromEntries(LEGEND),
    relations: names,
    actions: rows.map(({ action, cells }) => ({
      action,
      cells: Object.fromEntries(names.map((name, at) => [name, cells[at]])),
    })),
  };
  context.stdout.answer({ json: options.json, document, lines: () => tableOf(names, rows) });
}

/** Owner and lessee of the resources that this caller can name in a question. */
function relationsOf(project: unknown): readonly (readonly [string, JsonObject])[] {
  const foreign: readonly (readonly [string, JsonObject])[] = [
    ['of others', { owner: OTHER, lessee: OTHER_LESSEE }],
    ['of nobody', { owner: null, lessee: null }],
  ];
  if (typeof project !== 'string' || project === '') return foreign;
  return [
    ['owned', { owner: project, lessee: OTHER_LESSEE }],
    ['leased', { owner: OTHER, lessee: project }],
    ['both', { owner: project, lessee: project }],
    ...foreign,
  ];
}

function tableOf(
  relations: readonly string[],
  rows: readonly { readonly action: string; readonly cells: readonly Cell[] }[],
): readonly string[] {
  const width = widthOf(rows.map(({ action }) => action));
  const line = (name: string, cells: readonly string[]): string =>
    [name.padEnd(width), ...cells.map((cell, at) => cell.padEnd(relations[at]?.length ?? 1))]
      .join('  ')
      .trimEnd();
  return [
    ...LEGEND.map(([letter, meaning]) => `  ${letter}  ${meaning}`),
    ...byTopic(rows.map(({ action }) => action)).flatMap(({ title, actions }) => [
      '',
      `== ${title}`,
      line('action', relations),
      ...rows
        .filter(({ action }) => actions.includes(action))
        .map(({ action, cells }) => line(action, cells)),
    ]),
  ];
}

const widthOf = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
