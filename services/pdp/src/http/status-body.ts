import { type OpenedBundle, overlayDigest, type SwitchValues, tablesOf } from '@tenure/policy';
import { type ReplicasStatus } from '../application/activation/replicas.js';
import { type ShadowStatus } from '../application/activation/shadow.js';
import { type Active, type Outcome, type Trouble } from '../application/activation/state.js';
import { type StoredState } from '../domain/stored-state.js';

/** The active policy, and all that concerns it. */
export interface StatusFacts {
  readonly active: Active;
  readonly stored: StoredState;
  readonly trouble: Trouble | undefined;
  /** Those that the environment sets. */
  readonly switches: SwitchValues;
  readonly shadow: ShadowStatus | undefined;
  /** Undefined where this is the only one. */
  readonly replicas: ReplicasStatus | undefined;
}

/** The readiness. A decision point with a good earlier policy is ready, also when the newest one failed. */
export const readinessBody = (trouble: Trouble | undefined): object =>
  trouble === undefined ? { status: 'ok' } : { status: 'degraded', ...troubleMembers(trouble) };

/** The outcome of a command. */
export const outcomeBody = (outcome: Outcome): object => ({
  outcome: outcome.outcome,
  revision: outcome.revision,
  ...('reason' in outcome && troubleMembers(outcome)),
  ...('peers' in outcome && { peers: outcome.peers }),
});

/** The body of `GET /v1/policy/status`; docs/policy/bundles.md explains its members. */
export function statusBody(facts: StatusFacts): object {
  const { active, stored, trouble, switches, shadow = null, replicas } = facts;
  const { parts, data } = active.verified;
  return {
    ...readinessBody(trouble),
    revision: active.policy.revision,
    since: active.since.toISOString(),
    source: active.source,
    pinned: stored.pinned !== undefined,
    ...originBody(active),
    overlays: parts.overlays.map(({ file, text }) => ({ file, sha256: overlayDigest(text) })),
    switches: { in_force: tablesOf(data).switches, set: switches },
    ...replicasBody(replicas),
    history: stored.history,
    shadow,
  };
}

const troubleMembers = ({ reason, failingCase }: Trouble) => ({
  reason,
  ...(failingCase !== undefined && { failing_case: failingCase }),
});

/** The origin of the bundle. */
function originBody({ verified }: Active) {
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
}

/** The status of all replicas; null where there is only this one. */
const replicasBody = (status: ReplicasStatus | undefined) => ({
  replicas: status?.replicas.map(({ id: _id, ...report }) => report) ?? null,
  agreement:
    status === undefined
      ? null
      : { state: status.isReachable ? 'ok' : 'away', desired: status.desired ?? null },
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
