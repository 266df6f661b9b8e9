import {
  askerFor,
  isId,
  type JsonObject,
  type NamedProject,
  questionAbout,
  serviceProjectOf,
  tablesOf,
  typeFor,
} from '@tenure/policy';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { type InventoryOptions } from '../../inventory-client.js';
import { examples, EXIT_STATUS } from '../examples.js';
import {
  type AskOptions,
  bundleOption,
  loadPolicy,
  overlayOption,
  switchOption,
} from '../policy-options.js';
import { switchesFrom } from './switches.js';
import { addTargetOptions, targetNamed } from './target.js';

interface WhoCanOptions extends AskOptions, InventoryOptions {}

/** A kind of caller, without its role. */
interface ProjectRelation {
  readonly who: string;
  readonly project: string | null;
  readonly claims: JsonObject;
}

const ROLES = ['reader', 'member', 'manager', 'admin', 'service'] as const;
const USER = 'user';
const ANY_PROJECT = 'any-other-project';

/** Adds `tenure policy who-can`: which projects and roles. It throws as `can` does. */
export function addWhoCanCommand(policy: Command, context: CommandContext): void {
  const command = policy
    .command('who-can')
    .description('list the projects, and the roles in them, that may do an action')
    .argument('<action>', 'as baremetal:node:set_power_state')
    .argument('[node]', 'a node by uuid or name, or owner=…,lessee=…,creator=…,public=…,type=…');
  addTargetOptions(command, context.env)
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(switchOption())
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy who-can baremetal:node:set_power_state node-1',
        'tenure policy who-can baremetal:node:get owner=p1,lessee=p2 --json',
      ) + EXIT_STATUS,
    )
    .action((action: string, on: string | undefined, options: WhoCanOptions) =>
      whoCan([action, on], options, context),
    );
}

async function whoCan(
  [action, on]: readonly [string, string | undefined],
  options: WhoCanOptions,
  context: CommandContext,
): Promise<void> {
  const policy = await loadPolicy(options);
  const switches = switchesFrom(context.env, options.switch);
  const tenancy = on === undefined ? {} : await targetNamed(on, options);
  const target = { type: typeFor(policy, action), ...tenancy };
  const ask = askerFor(await policy.under(switches));
  const services = serviceProjectOf({ ...tablesOf(policy.data).switches, ...switches });
  const callers = relationsOf(target, services).map(({ who, project: id, claims }) => ({
    who,
    project: id,
    roles: ROLES.map((role) => {
      const subject = { user_id: USER, ...claims, roles: [role] };
      const { allow, visible, grants } = ask(questionAbout(action, subject, target));
      return { role, allow, visible, grants };
    }),
  }));
  const document = { action, resource: target, revision: policy.revision, callers };
  const lines = callers.map(({ who, project: id, roles }) => {
    const allowed = roles.filter(({ allow }) => allow);
    const by = [...new Set(allowed.flatMap(({ grants }) => grants))];
    const named = `${who}${id === null || id === ANY_PROJECT ? '' : ` (${id})`}`;
    const said = allowed.map(({ role }) => role).join(', ');
    return `${named}: ${allowed.length === 0 ? 'nobody' : `${said}; by ${by.join(', ')}`}`;
  });
  context.stdout.answer({ json: options.json, document, lines: () => lines });
}

function relationsOf(target: JsonObject, services: NamedProject): readonly ProjectRelation[] {
  const { owner, lessee, creator } = target;
  const both = isId(owner) && owner === lessee;
  return [
    { who: 'the system', project: null, claims: { system_scope: 'all' } },
    ...inProject(both ? 'the project that owns and leases it' : 'the project that owns it', owner),
    ...(both ? [] : inProject('the project that leases it', lessee)),
    ...(services.id === owner || services.id === lessee
      ? []
      : inProject('the service project', services.label, services.claims)),
    ...inProject('any other project', ANY_PROJECT),
    ...(isId(creator)
      ? [
          ...inProject('its creator, in its project', owner, { user_id: creator }),
          ...inProject('its creator, in another project', ANY_PROJECT, { user_id: creator }),
        ]
      : []),
  ];
}

const inProject = (
  who: string,
  project: unknown,
  claims: JsonObject = {},
): readonly ProjectRelation[] =>
  isId(project) ? [{ who, project, claims: { project_id: project, ...claims } }] : [];
