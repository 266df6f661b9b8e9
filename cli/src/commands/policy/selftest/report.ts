import { type JsonObject } from '@tenure/policy';
import { NOVA_CALLS, NOVA_NEVER } from './nova-calls.js';
import { type AccountReport, type Problem } from './selftest.js';

const HINT =
  'Give the account the role service on the system, or in the service project with ' +
  'TENURE_RBAC_SERVICE_ROLE_ELEVATED_ACCESS=true; TENURE_RBAC_SERVICE_PROJECT names that project within ' +
  'TENURE_RBAC_SERVICE_PROJECT_DOMAIN, or TENURE_RBAC_SERVICE_PROJECT_ID is its id.';

const EVERY_NODE = 3;

export const isGood = ({ missing, excess }: AccountReport): boolean =>
  missing.length === 0 && excess.length === 0;

/** The report as text, with a hint when calls do not work. */
export function reportLines(reports: readonly AccountReport[]): readonly string[] {
  const lines = reports.flatMap(accountLines);
  const hint = reports.some(({ missing }) => missing.length > 0) ? ['', HINT] : [];
  return [...lines, ...hint];
}

/** The report as JSON. */
export const reportDocument = (reports: readonly AccountReport[]): JsonObject => ({
  calls: NOVA_CALLS.length,
  accounts: reports.map((report) => ({
    account: report.account.name,
    ok: isGood(report),
    missing: report.missing.map(problemDocument),
    excess: report.excess.map(problemDocument),
  })),
});

function accountLines(report: AccountReport): readonly string[] {
  const { account, missing, excess } = report;
  const works = NOVA_CALLS.length - numbersOf(missing).size;
  const refused = NOVA_NEVER.length - numbersOf(excess).size;
  return [
    `${isGood(report) ? 'ok    ' : 'FAILED'} ${account.name}: ${String(works)} of ${String(NOVA_CALLS.length)} calls work, ` +
      `${String(refused)} of ${String(NOVA_NEVER.length)} calls that Nova never makes are refused`,
    ...problemLines([...missing, ...excess]),
  ];
}

const numbersOf = (problems: readonly Problem[]): ReadonlySet<number> =>
  new Set(problems.map(({ call }) => call.number));

/** One line for problems that differ only in the kind of node. */
function problemLines(problems: readonly Problem[]): readonly string[] {
  const alike = Map.groupBy(problems, ({ call, action, reason }) =>
    JSON.stringify([call.number, call.what, action, reason]),
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { call, action, reason } = first;
    const place = placeOf(group.map(({ node }) => node));
    return [`  ${String(call.number).padStart(2)} ${call.what}: ${action}${place}: ${reason}`];
  });
}

function placeOf(nodes: readonly (string | null)[]): string {
  const named = nodes.filter((node) => node !== null);
  if (named.length === 0) return '';
  return named.length === EVERY_NODE ? ' on any node' : ` on ${named.join(' and ')}`;
}

const problemDocument = ({ call, action, node, reason }: Problem): JsonObject => ({
  call: call.number,
  what: call.what,
  action,
  node,
  reason,
});
