import { memberOf } from '@tenure/policy';

const WIDTH = 13;

/** Whether all replicas are healthy and serve the same revision. */
export function isHealthy(body: unknown): boolean {
  const replicas = listOf(memberOf(body, 'replicas'));
  const revision = memberOf(body, 'revision');
  return (
    memberOf(body, 'status') === 'ok' &&
    !isUnreachable(body) &&
    replicas.every(
      (each) => memberOf(each, 'status') === 'ok' && memberOf(each, 'revision') === revision,
    )
  );
}

/** The status of a decision point's policy, for people. */
export function statusLines(body: unknown): readonly string[] {
  const certificate = membersText(memberOf(body, 'certificate'), 'policy', 'issued_at');
  const overlays = listOf(memberOf(body, 'overlays')).map((each) => membersText(each, 'file'));
  const history = listOf(memberOf(body, 'history')).map((each) =>
    membersText(each, 'at', 'outcome', 'trigger', 'revision', 'source', 'reason'),
  );
  const pinned = memberOf(body, 'pinned') === true ? '  (pinned)' : '';
  return [
    line('status', membersText(body, 'status', 'reason', 'failing_case')),
    line('revision', `${membersText(body, 'revision')}${pinned}`),
    line('since', membersText(body, 'since')),
    line('source', membersText(body, 'source')),
    line('signed by', membersText(body, 'signed_by') || 'not checked'),
    line('certificate', certificate || 'none'),
    line(
      'compiler',
      membersText(memberOf(body, 'compiler'), 'name', 'version', 'target') || 'unknown',
    ),
    line('tests', testsLine(body)),
    line('overlays', overlays.join(', ') || 'none'),
    line('switches', setOf(body)),
    ...replicaLines(body),
    ...shadowLines(body),
    ...history.map((entry, at) => line(at === 0 ? 'history' : '', entry)),
  ];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Whether the other replicas cannot be reached. */
const isUnreachable = (body: unknown): boolean =>
  memberOf(memberOf(body, 'agreement'), 'state') === 'away';

const membersText = (value: unknown, ...names: readonly string[]): string =>
  names
    .map((name) => textOf(memberOf(value, name)))
    .filter((word) => word !== undefined)
    .join('  ');

const line = (name: string, value: string): string => `${name.padEnd(WIDTH)}${value}`;

function testsLine(body: unknown): string {
  const tests = memberOf(body, 'tests');
  const passed = textOf(memberOf(tests, 'passed'));
  if (passed === undefined) return 'unknown';
  const coverage = textOf(memberOf(body, 'coverage')) ?? '?';
  return `${passed} passed, ${textOf(memberOf(tests, 'failed')) ?? '?'} failed, coverage ${coverage} %`;
}

function setOf(body: unknown): string {
  const set = memberOf(memberOf(body, 'switches'), 'set');
  return set === undefined ? '{}' : JSON.stringify(set);
}

/** One line for each replica; none for a single decision point. */
function replicaLines(body: unknown): readonly string[] {
  const replicas = listOf(memberOf(body, 'replicas')).map((each) => {
    const pinned = memberOf(each, 'pinned') === true ? '  (pinned)' : '';
    return `${membersText(each, 'instance', 'status', 'revision')}${pinned}  ${membersText(each, 'since', 'reason')}`;
  });
  return [...replicas, ...agreementOf(body)].map((text, at) =>
    line(at === 0 ? 'replicas' : '', text.trimEnd()),
  );
}

function shadowLines(body: unknown): readonly string[] {
  const shadow = memberOf(body, 'shadow');
  if (shadow === null || shadow === undefined) return [];
  const differences = JSON.stringify(memberOf(shadow, 'differences') ?? {});
  const evaluated = textOf(memberOf(shadow, 'evaluated')) ?? '0';
  return [
    line('shadow', membersText(shadow, 'state', 'revision', 'source', 'reason')),
    line('', `evaluated ${evaluated}, differences ${differences}`),
  ];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function agreementOf(body: unknown): readonly string[] {
  const desired = memberOf(memberOf(body, 'agreement'), 'desired');
  const revision = textOf(memberOf(desired, 'pinned')) ?? 'that of the source';
  return [
    ...(desired === undefined || desired === null
      ? []
      : [`desired: ${revision}  ${membersText(desired, 'at')}  at ${membersText(desired, 'by')}`]),
    ...(isUnreachable(body) ? ['the others cannot be reached'] : []),
  ];
}
