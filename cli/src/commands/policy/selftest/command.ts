import {
  type JsonObject,
  type NamedProject,
  projectNamed,
  serviceProjectOf,
  tablesOf,
} from '@tenure/policy';
import { type Command, Option } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { switchesFrom } from '../ask/switches.js';
import { examples, EXIT_STATUS } from '../examples.js';
import { bundleOption, loadPolicy, overlayOption, type PolicyOptions } from '../policy-options.js';
import { keystoneAccount } from './keystone-login.js';
import { isGood, reportDocument, reportLines } from './report.js';
import { type Account, testAccounts } from './selftest.js';

interface SelftestOptions extends PolicyOptions {
  readonly login?: true;
  readonly system?: true;
  readonly project?: string;
  readonly role: readonly string[];
  readonly json?: true;
}

const FOUND = 1;

/**
 * Adds `tenure policy selftest`: whether the account of a service can do its work, under the overlays and switches of the
 * environment. It throws ExitStatus 1 when not, PolicyRefused or PolicyFailure when the policy cannot be evaluated.
 */
export function addSelftestCommand(policy: Command, context: CommandContext): void {
  policy
    .command('selftest')
    .description(
      'test that the account of nova-compute is allowed its 21 calls, and refused those that Nova never makes; 0 passed, 1 failed, 2 could not run',
    )
    .addOption(
      new Option('--as <service>', 'service whose calls are tested')
        .choices(['nova'])
        .default('nova'),
    )
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .addOption(
      new Option(
        '--login',
        'log in to Keystone as the account, with the OS_… variables, and test its token',
      ).conflicts(['system', 'project', 'role']),
    )
    .option('--system', 'the account is on the system')
    .option(
      '--project <id or name>',
      "the account is in this project of the services' domain (without both: try either)",
    )
    .option('--role <name...>', 'roles of the account', ['service'])
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples(
        'tenure policy selftest --as nova',
        'tenure policy selftest --system --overlay mine.yaml --json',
      ) + EXIT_STATUS,
    )
    .action((options: SelftestOptions) => selftest(options, context));
}

async function selftest(options: SelftestOptions, context: CommandContext): Promise<void> {
  const switches = switchesFrom(context.env, {});
  const policy = await loadPolicy(options);
  const accounts =
    options.login === true
      ? [await keystoneAccount(context.env)]
      : accountsOf(options, { ...tablesOf(policy.data).switches, ...switches });
  const reports = await testAccounts(policy, accounts, switches);
  context.stdout.answer({
    json: options.json,
    document: reportDocument(reports),
    lines: () => reportLines(reports),
  });
  // Nova has one account, so one working candidate is enough.
  const named = options.system !== undefined || options.project !== undefined;
  if (named ? !reports.every(isGood) : !reports.some(isGood)) throw new ExitStatus(FOUND);
}

/** The account of the options; by default both that Nova can have. */
function accountsOf(
  { system, project, role }: SelftestOptions,
  switches: JsonObject,
): readonly Account[] {
  if (system === undefined && project === undefined)
    return [systemAccount(role), projectAccount(serviceProjectOf(switches), role)];
  return [
    ...(system === true ? [systemAccount(role)] : []),
    ...(project === undefined ? [] : [projectAccount(projectCalled(switches, project), role)]),
  ];
}

const systemAccount = (roles: readonly string[]): Account => ({
  name: `${roles.join(' and ')} on the system`,
  subject: { user_id: 'selftest', system_scope: 'all', roles: [...roles] },
});

const projectAccount = ({ label, claims }: NamedProject, roles: readonly string[]): Account => ({
  name: `${roles.join(' and ')} in project ${label}`,
  subject: { user_id: 'selftest', ...claims, roles: [...roles] },
});

/** The account's project, by the attribute that the switches compare: its id or its name. */
const projectCalled = (switches: JsonObject, text: string): NamedProject => ({
  ...projectNamed(switches, text),
  claims: { ...projectNamed(switches, text).claims, project_id: text },
});
