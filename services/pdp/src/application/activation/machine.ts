import { type DesiredRevision, isNewer } from '../../domain/desired-revision.js';
import {
  type HistoryEntry,
  type StoredState,
  withEntry,
  withPin,
} from '../../domain/stored-state.js';
import { changesBetween } from './changes.js';
import { type ActivePolicy, type VerifiedPolicy } from './loader.js';
import {
  type ActivationEvent,
  type ActivationState,
  type ActivationSettings,
  type Active,
  type Candidate,
  type Effect,
  type Outcome,
  type Query,
  type Step,
  type Trouble,
  troubleOf,
} from './state.js';

interface End {
  readonly outcome: Outcome;
  readonly stored?: StoredState;
  readonly active?: Active;
  readonly before?: readonly Effect[];
  readonly after?: readonly Effect[];
}

/** One transition, with what it depends on. */
interface Moment extends ActivationSettings {
  readonly state: ActivationState;
  readonly candidate: Candidate;
  readonly now: Date;
}

type Command = Extract<
  ActivationEvent,
  { readonly type: 'reload' | 'roll back' | 'poll' | 'desire' | 'published' }
>;

/**
 * The whole life cycle. Commands run one at a time: each starts after the outcome of the one before.
 * @throws Error for a result without a query
 */
export function transition(
  state: ActivationState,
  event: ActivationEvent,
  settings: ActivationSettings & { readonly now: Date },
): Step {
  if (isCommand(event)) return onCommand(state, event, settings.source);
  const { candidate } = state;
  if (candidate === undefined) throw new Error(`${event.type} without a candidate`);
  return onResult({ ...settings, state, candidate }, event);
}

const isCommand = (event: ActivationEvent): event is Command =>
  ['reload', 'roll back', 'poll', 'desire', 'published'].includes(event.type);

function onCommand(state: ActivationState, command: Command, source: string): Step {
  switch (command.type) {
    case 'reload':
      return attempt(state, { cause: 'command', source, trigger: command.trigger });
    case 'roll back':
      return attempt(state, {
        cause: 'command',
        source: 'history',
        trigger: 'rollback',
        pin: command.revision,
      });
    case 'poll':
      return state.stored.pinned === undefined && state.unmet === undefined
        ? attempt(state, { cause: 'poll', source, trigger: 'poll' })
        : idle(state);
    case 'desire':
      return onDesire(state, command.desired, source);
    case 'published': {
      const stored = withDesired(state.stored, command.desired);
      return { ...idle({ ...state, stored }), effects: saving(state.stored, stored) };
    }
  }
}

function onResult(moment: Moment, result: Exclude<ActivationEvent, Command>): Step {
  const { state, candidate } = moment;
  switch (result.type) {
    case 'fingerprint':
      return onFingerprint(moment, result.fingerprint);
    case 'away':
      return onAway(moment, result.error);
    case 'fetched':
      return ask(state, { query: 'verify', parts: result.parts });
    case 'missing':
      return onMissing(moment, result.revision);
    case 'unreadable':
      return refuse(moment, result.error, result.revision);
    case 'verified':
      return onVerified(moment, result.verified);
    case 'prepared':
      return activate(moment, result.policy, result.verified);
    case 'rejected':
      return refuse(moment, result.error, candidate.revision);
  }
}

function attempt(state: ActivationState, candidate: Candidate): Step {
  const { pin } = candidate;
  const query: Query =
    pin === undefined ? { query: 'fingerprint' } : { query: 'bundle', revision: pin };
  return ask({ ...state, candidate }, query);
}

const idle = (state: ActivationState): Step => ({
  state: { ...state, candidate: undefined },
  effects: [],
  next: { outcome: 'unchanged', revision: revisionOf(state) },
});

function onDesire(state: ActivationState, desired: DesiredRevision, source: string): Step {
  const { pinned } = state.stored;
  const isMet = desired.pinned === (pinned ?? null);
  const isNew = isNewer(desired, state.stored.desired);
  if (!isNew && (isMet || state.unmet?.isRefused === true)) return idle(state);
  const stored = withDesired(state.stored, desired);
  const step = attempt(
    { ...state, stored },
    {
      cause: 'desired',
      ...(desired.pinned === null
        ? { source, trigger: 'push' }
        : {
            source: `history, as requested at ${desired.by}`,
            trigger: 'rollback',
            pin: desired.pinned,
          }),
    },
  );
  return { ...step, effects: saving(state.stored, stored) };
}

/** The state with a desired revision, unless a newer one is stored. */
const withDesired = (stored: StoredState, desired: DesiredRevision): StoredState =>
  isNewer(desired, stored.desired) ? { ...stored, desired } : stored;

const saving = (before: StoredState, stored: StoredState): readonly Effect[] =>
  stored === before ? [] : [{ do: 'save', stored }];

const ask = (state: ActivationState, next: Query): Step => ({ state, effects: [], next });

const revisionOf = ({ active }: ActivationState): string => active.policy.revision;

function onFingerprint({ state, candidate }: Moment, fingerprint: string): Step {
  const next = { ...state, fingerprint, away: undefined };
  return candidate.cause === 'poll' && fingerprint === state.fingerprint
    ? idle(next)
    : ask(next, { query: 'source' });
}

function onAway({ state, candidate }: Moment, error: unknown): Step {
  const away = troubleOf(error);
  return end({ ...state, away }, candidate, {
    outcome: { outcome: 'away', revision: revisionOf(state), ...away },
    // Once, not at every poll.
    before: state.away === undefined ? [{ do: 'report away', error, reason: away.reason }] : [],
  });
}

const onMissing = ({ state, candidate }: Moment, revision: string): Step =>
  end(state, candidate, {
    outcome: {
      outcome: 'unknown',
      revision: revisionOf(state),
      reason: `no bundle of ${revision} is kept`,
    },
  });

function refuse(moment: Moment, error: unknown, revision: string | undefined): Step {
  const { state, candidate } = moment;
  const trouble = troubleOf(error);
  const stored = withAttempt(moment, state.stored, {
    outcome: 'refused',
    reason: trouble.reason,
    ...(revision !== undefined && { revision }),
    ...(trouble.failingCase !== undefined && { failing_case: trouble.failingCase }),
  });
  const active = revisionOf(state);
  return end(state, candidate, {
    outcome: { outcome: 'refused', revision: active, ...trouble },
    stored,
    before: [{ do: 'report refused', error, active, refused: revision, reason: trouble.reason }],
  });
}

function onVerified(moment: Moment, verified: VerifiedPolicy): Step {
  const { state, candidate } = moment;
  const { revision } = verified;
  const { pin } = candidate;
  if (pin !== undefined && pin !== revision)
    return refuse(
      moment,
      new Error(`with the current switches the bundle of ${pin} is ${revision}`),
      revision,
    );
  if (revision !== revisionOf(state))
    return ask({ ...state, candidate: { ...candidate, revision } }, { query: 'prepare', verified });
  return end(state, candidate, {
    outcome: { outcome: 'unchanged', revision },
    // The same revision may have another signature.
    active: { ...state.active, verified },
    stored: withPin(state.stored, pin),
    before: [{ do: 'report unchanged' }],
  });
}

function activate(moment: Moment, policy: ActivePolicy, verified: VerifiedPolicy): Step {
  const { state, candidate, now } = moment;
  const { revision } = policy;
  const changes = changesBetween(comparedOf(state.active.verified), comparedOf(verified));
  const active = { policy, verified, source: candidate.source, since: now };
  return end(state, candidate, {
    outcome: { outcome: 'activated', revision },
    active,
    stored: withAttempt(
      moment,
      { ...withPin(state.stored, candidate.pin), last_good: revision },
      { outcome: 'activated', revision, changes: [...changes] },
    ),
    before: [{ do: 'store bundle', revision, parts: verified.parts }],
    after: [{ do: 'report active', active }],
  });
}

function end(state: ActivationState, candidate: Candidate, given: End): Step {
  const { outcome, active = state.active, before = [], after = [] } = given;
  const isUnpinned =
    candidate.cause === 'desired' && candidate.pin === undefined && 'reason' in outcome;
  const tried = given.stored ?? state.stored;
  const stored = isUnpinned ? withPin(tried, undefined) : tried;
  return {
    state: {
      ...state,
      ...troublesAfter(state, candidate, outcome),
      ...{ active, stored, candidate: undefined },
    },
    effects: [...before, ...saving(state.stored, stored), ...after],
    next: outcome,
  };
}

/** The troubles that remain after this outcome of a candidate. */
function troublesAfter(
  { refused, unmet }: ActivationState,
  { cause, pin }: Candidate,
  outcome: Outcome,
): Pick<ActivationState, 'refused' | 'unmet'> {
  const trouble = troubleIn(outcome);
  if (cause === 'command' && trouble === undefined) return { refused: undefined, unmet: undefined };
  const ofSource = pin === undefined && outcome.outcome !== 'away' ? trouble : refused;
  if (cause !== 'desired') return { refused: ofSource, unmet };
  // A fault of the source is a trouble of its own, and the source is polled again.
  const isUnmet = pin !== undefined && trouble !== undefined;
  return {
    refused: ofSource,
    unmet: isUnmet ? { trouble, isRefused: outcome.outcome === 'refused' } : undefined,
  };
}

// The life cycle of a policy: a candidate is fetched, verified and prepared, then it is active; it may be pinned.
// This file only decides. `activator.ts` carries out the effects, and returns the results of the queries as events.

function troubleIn(outcome: Outcome): Trouble | undefined {
  if (!('reason' in outcome)) return undefined;
  const { reason, failingCase } = outcome;
  return { reason, ...(failingCase !== undefined && { failingCase }) };
}

function withAttempt(
  { candidate, now, keep }: Omit<Moment, 'state'>,
  stored: StoredState,
  result: Omit<HistoryEntry, 'at' | 'source' | 'trigger'>,
): StoredState {
  const { source, trigger } = candidate;
  return withEntry(stored, { at: now.toISOString(), source, trigger, ...result }, keep);
}

const comparedOf = ({ opened, data }: VerifiedPolicy) => ({ wasm: opened.wasm, data });
