import { PolicyRefused, tablesOf } from '@tenure/policy';
import { readPolicyFiles } from '@tenure/policy/runtime';
import { type Command } from 'commander';
import { type CommandContext } from '../../../terminal/command-context.js';
import { ExitStatus } from '../../../terminal/exit-status.js';
import { examples, EXIT_STATUS } from '../examples.js';
import {
  bundleOption,
  type LoadedPolicy,
  openPolicy,
  overlayOption,
  type PolicyOptions,
} from '../policy-options.js';
import { type Finding, warning } from './finding.js';
import { unknownNames, unusedGrants } from './names.js';
import { linesLikeDefault, rowFindings } from './rows.js';
import { notInGoldenTable, opaCheck } from './sources.js';

interface LintOptions extends PolicyOptions {
  readonly sources: string;
  readonly json?: true;
}

const FOUND = 1;

/**
 * Adds `tenure policy lint`: lines of tables and overlays without the intended effect. It throws ExitStatus 1 when it finds
 * some, PolicyRefused or PolicyFailure when the policy cannot be evaluated.
 */
export function addLintCommand(policy: Command, context: CommandContext): void {
  policy
    .command('lint')
    .description('find lines of tables and overlays without the intended effect')
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .option('--sources <dir>', 'sources, for opa check and the golden table', 'policies-rego')
    .option('--json', 'one JSON document')
    .addHelpText(
      'after',
      examples('tenure policy lint', 'tenure policy lint --overlay mine.yaml --json') + EXIT_STATUS,
    )
    .action((options: LintOptions) => lint(options, context));
}

async function lint(options: LintOptions, context: CommandContext): Promise<void> {
  const findings = await findingsFor(options);
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  context.stdout.answer({
    json: options.json,
    document: { clean: warnings === 0, findings },
    lines: () => linesOf(findings, warnings),
  });
  if (warnings > 0) throw new ExitStatus(FOUND);
}

async function findingsFor(options: LintOptions): Promise<readonly Finding[]> {
  const material = await readPolicyFiles({ bundle: options.bundle, overlays: options.overlay });
  const result = await opened(material);
  if ('finding' in result) return [result.finding];
  const { policy } = result;
  return [
    ...unknownNames(policy.data),
    ...(await rowFindings(policy)),
    ...linesLikeDefault(material.data, material.overlays),
    ...(await notInGoldenTable(options.sources, Object.keys(tablesOf(policy.data).actions))),
    ...(await opaCheck(options.sources)),
    ...unusedGrants(policy.data),
  ];
}

const linesOf = (findings: readonly Finding[], warnings: number): readonly string[] => [
  ...findings.map(
    ({ rule, severity, about, message }) => `${severity.padEnd(7)} ${rule}: ${about}: ${message}`,
  ),
  warnings === 0 ? 'clean' : `${String(warnings)} found`,
];

/** The policy, or the errors of its overlays, which count as findings. */
async function opened(
  material: LoadedPolicy['material'],
): Promise<{ readonly policy: LoadedPolicy } | { readonly finding: Finding }> {
  // First without overlays: an unusable bundle is an error, not a finding.
  await openPolicy({ ...material, overlays: [] });
  try {
    return { policy: await openPolicy(material) };
  } catch (error) {
    if (!(error instanceof PolicyRefused)) throw error;
    return { finding: warning('unknown-name', 'overlay', error.message) };
  }
}
