import { type OpenedBundle, overlayDigest, type SwitchValues, tablesOf } from '@tenure/policy';
import { type KeptState } from '../domain/policy-history.js';
import { type Outcome, type Trouble } from '../keeping/outcome.js';
import { type Serving } from '../keeping/serving.js';
import { type ReplicasStatus } from '../replicas/policy-replicas.js';
import { type ShadowStatus } from '../shadow/policy-shadow.js';

/** What the decision point knows of the policy that it has. */
export interface StatusFacts {
  readonly serving: Serving;
  readonly state: KeptState;
  readonly trouble: Trouble | undefined;
  /** Those that the environment sets. */
  readonly switches: SwitchValues;
  readonly shadow: ShadowStatus | undefined;
  /** Undefined where this is the only one. */
  readonly replicas: ReplicasStatus | undefined;
}

const troubleMembers = ({ reason, failingCase }: Trouble) => ({
  reason,
  ...(failingCase !== undefined && { failing_case: failingCase }),
});

/** How ready the decision point is: one that has a good old policy is, whatever became of the new one. */
export const readinessBody = (trouble: Trouble | undefined): object =>
  trouble === undefined ? { status: 'ok' } : { status: 'degraded', ...troubleMembers(trouble) };

/** What became of something that the keeper was told. */
export const outcomeBody = (outcome: Outcome): object => ({
  outcome: outcome.outcome,
  revision: outcome.revision,
  ...('reason' in outcome && troubleMembers(outcome)),
  ...('others' in outcome && { others: outcome.others }),
});

const certificateBody = ({ certificate }: OpenedBundle) =>
  certificate === undefined
    ? null
    : {
        policy: certificate.policy,
        issued_at: certificate.issued_at,
        tool: certificate.tool,
        model: certificate.model,
        invariants: certificate.invariants.map(({ name }) => name),
      };

/** What the bundle says of itself. */
const originBody = ({ verified }: Serving) => {
  const { signedBy = null, provenance, golden } = verified.opened;
  const { revision = null, roots, build = {} } = provenance;
  const { sources: digest = null, compiler = null, tests = null, coverage = null } = build;
  return {
    signed_by: signedBy,
    certificate: certificateBody(verified.opened),
    sources: { revision, roots, digest },
    compiler,
    tests,
    coverage,
    golden: golden.length,
  };
};

/** How all of them stand; null where there is only this one. */
const replicasBody = (status: ReplicasStatus | undefined) => ({
  replicas: status?.replicas.map(({ id: _id, ...report }) => report) ?? null,
  agreement:
    status === undefined
      ? null
      : { state: status.isReachable ? 'ok' : 'away', told: status.told ?? null },
});

/** The body of `GET /v1/policy/status`; docs/policy/bundles.md explains its members. */
export const statusBody = (facts: StatusFacts): object => {
  const { serving, state, trouble, switches, shadow = null, replicas } = facts;
  const { parts, data } = serving.verified;
  return {
    ...readinessBody(trouble),
    revision: serving.policy.revision,
    since: serving.since.toISOString(),
    source: serving.source,
    pinned: state.pinned !== undefined,
    ...originBody(serving),
    overlays: parts.overlays.map(({ file, text }) => ({ file, sha256: overlayDigest(text) })),
    switches: { in_force: tablesOf(data).switches, set: switches },
    ...replicasBody(replicas),
    history: state.history,
    shadow,
  };
};
