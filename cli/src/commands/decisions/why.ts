import { answersOf, revisionIn, type Why, whyOf } from '@tenure/policy';
import { type Command } from 'commander';
import { type CommandContext } from '../../terminal/command-context.js';
import { missLines } from '../policy/ask/misses.js';
import { bundleOption, overlayOption, type PolicyOptions } from '../policy/policy-options.js';
import { decisionById } from './find.js';
import { decisionLines } from './line.js';
import { addLogOptions, logDirOf, type LogOptions } from './options.js';
import { loadQueriedPolicy } from './queried-policy.js';

interface WhyOptions extends LogOptions, PolicyOptions {}

/** `tenure decisions why`: the grants that allowed a decision, or the facts that were missing. */
export function addWhyCommand(decisions: Command, context: CommandContext): void {
  addLogOptions(
    decisions
      .command('why')
      .description(
        'say which grants allowed a decision, or which were nearest and on which fact each failed',
      )
      .argument('<id>', 'decision id, as in the header X-Tenure-Decision-Id'),
    context.env,
  )
    .addOption(bundleOption(context.env))
    .addOption(overlayOption(context.env))
    .action((id: string, options: WhyOptions) => why(id, options, context));
}

async function why(
  id: string,
  options: WhyOptions,
  { stdout, stderr, env }: CommandContext,
): Promise<void> {
  const decision = await decisionById(logDirOf(options), id);
  const policy = await loadQueriedPolicy(options, env);
  const whys = answersOf(decision.record).map((answer) => whyOf(answer, policy));
  const isSame = revisionIn(decision.record) === policy.revision;
  if (!isSame)
    stderr.line(
      'The decision was made by another policy; the nearest misses are those of this policy.',
    );
  if (options.json !== true) {
    stdout.lines([...decisionLines(decision), '', ...whys.flatMap(whyLines)]);
    return;
  }
  const [only] = whys;
  const common = { decision_id: id, same_policy: isSame };
  stdout.json(
    whys.length === 1
      ? { ...common, ...only }
      : { ...common, allow: whys.every(({ allow }) => allow), answers: whys },
  );
}

const whyLines = ({
  action,
  allow,
  reason,
  grants,
  nearest_misses: misses,
}: Why): readonly string[] =>
  allow
    ? [`${action}: allowed by ${grants.join(', ')}`]
    : [
        `${action}: refused, ${reason}`,
        ...(misses.length === 0
          ? ['no grant is near: three changes of facts would not be enough']
          : ['nearest to being allowed were:', ...missLines(misses)]),
      ];
