import {
  isPolicyAnswer,
  type JsonObject,
  type PolicyAnswer,
  PolicyFailure,
  QUESTION_TIME,
  type SwitchValues,
} from '@tenure/policy';
import { type LoadedPolicy } from '../policy-options.js';
import { type Call, NOVA_CALLS, NOVA_NEVER, type Question } from './nova-calls.js';

/** An account that is tested. */
export interface Account {
  readonly name: string;
  readonly subject: JsonObject;
}

/** A call with a wrong outcome, and the reason. */
export interface Problem {
  readonly call: Call;
  readonly action: string;
  /** The kind of node; null where the outcome does not depend on one. */
  readonly node: string | null;
  readonly reason: string;
}

export interface AccountReport {
  readonly account: Account;
  /** Calls that do not work. */
  readonly missing: readonly Problem[];
  /** Calls that it is allowed and should not be. */
  readonly excess: readonly Problem[];
}

const NODES: readonly { readonly name: string; readonly tenancy: JsonObject }[] = [
  { name: 'an unowned node', tenancy: { owner: null, lessee: null } },
  { name: 'an owned node', tenancy: { owner: 'selftest-owner', lessee: null } },
  { name: 'a leased node', tenancy: { owner: 'selftest-owner', lessee: 'selftest-lessee' } },
];
const NO_NODE = [{ name: null, tenancy: {} }] as const;

type Ask = (question: Question, tenancy: JsonObject) => PolicyAnswer;

/**
 * Evaluates every question that the calls of nova-compute lead to, for each account.
 * @throws PolicyRefused for a switch that the policy does not have, PolicyFailure when it cannot be evaluated
 */
export async function testAccounts(
  policy: LoadedPolicy,
  accounts: readonly Account[],
  switches: SwitchValues,
): Promise<readonly AccountReport[]> {
  const engine = await policy.under(switches);
  return accounts.map((account) => {
    const ask: Ask = ({ action, type, fields }, tenancy) => {
      const resource = { type, ...tenancy, ...(type !== 'none' && { tenancy_revision: 1 }) };
      const question = { action, subject: account.subject, resource, now: QUESTION_TIME };
      const answer = engine.evaluate('decision', {
        ...question,
        ...(fields !== undefined && { fields: [...fields] }),
      });
      if (!isPolicyAnswer(answer))
        throw new PolicyFailure(`the policy's answer about ${action} is not a decision`);
      return answer;
    };
    return {
      account,
      missing: problemsOf(NOVA_CALLS, ask, lacking),
      excess: problemsOf(NOVA_NEVER, ask, (_question, { allow }) =>
        allow ? 'allowed' : undefined,
      ),
    };
  });
}

const problemsOf = (
  calls: readonly Call[],
  ask: Ask,
  judge: (question: Question, answer: PolicyAnswer) => string | undefined,
): readonly Problem[] =>
  calls.flatMap((call) =>
    call.questions.flatMap((question) => {
      const nodes = question.type === 'none' ? NO_NODE : NODES;
      return nodes.flatMap(({ name: node, tenancy }) => {
        const reason = judge(question, ask(question, tenancy));
        return reason === undefined ? [] : [{ call, action: question.action, node, reason }];
      });
    }),
  );

function lacking(
  { visibleFields = [], action }: Question,
  answer: PolicyAnswer,
): string | undefined {
  if (!answer.visible) return 'not visible, which Nova takes for deleted';
  if (!answer.allow) return `refused (${answer.denied.join(', ') || action})`;
  const hidden = visibleFields.filter((name) => answer.fields.masked.includes(name));
  if (hidden.length > 0) return `${hidden.join(', ')} is hidden`;
  return action.endsWith(':list') && answer.filter.mode !== 'all'
    ? 'only rows of its own project are listed'
    : undefined;
}
