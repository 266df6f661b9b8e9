import { creatorsOperations } from '@tenure/policy';
import { changesBetween, type ComparedPolicy } from '../domain/policy-changes.js';
import { type VerifiedPolicy } from '../policy-loader.js';
import { type KeeperOptions } from './keeper-options.js';
import { type Attempt, type Ledger } from './ledger.js';
import { type Outcome, troubleOf } from './outcome.js';
import { type Serving } from './serving.js';

const DEPRECATED_USERS =
  'deprecated: these operations depend on the user who made a server. It is a safeguard against accidents, no boundary: ' +
  'users of one project can still see and reboot each other’s servers. It breaks what clients expect of a project, and goes ' +
  'away once projects can be nested.';

export interface Trials {
  readonly serving: () => Serving;
  /** @param pin the revision that it must have, and that stays */
  readonly attempt: (tried: Attempt, pin?: string) => Promise<Outcome>;
  /** Notes what could not even be tried. */
  readonly refuse: (
    attempt: Omit<Attempt, 'parts'>,
    error: unknown,
    revision: string | undefined,
  ) => Promise<Outcome>;
}

const comparedOf = ({ opened, data }: VerifiedPolicy): ComparedPolicy => ({
  wasm: opened.wasm,
  data,
});

/** Tries policies one at a time, and tells what came of each. */
export const createTrials = (options: KeeperOptions, ledger: Ledger, first: Serving): Trials => {
  const { loader, deadlineMs, logger, metrics, now } = options;
  let serving = first;

  const announce = (): void => {
    const { revision, actions } = serving.policy;
    metrics.loaded('activated');
    metrics.activated(revision);
    logger.info({ revision, source: serving.source }, 'policy in service');
    const operations = creatorsOperations(actions);
    if (operations.length > 0) logger.warn({ actions: operations }, DEPRECATED_USERS);
  };
  announce();

  const refuse = async (
    attempt: Omit<Attempt, 'parts'>,
    error: unknown,
    revision: string | undefined,
  ): Promise<Outcome> => {
    const trouble = troubleOf(error);
    const { revision: old } = serving.policy;
    metrics.loaded('refused');
    logger.error(
      { err: error, revision: old, ...(revision !== undefined && { refused: revision }) },
      `new policy refused, the old one stays: ${trouble.reason}`,
    );
    await ledger.refused(attempt, trouble, revision);
    return { outcome: 'refused', revision: old, ...trouble };
  };

  const attempt = async (tried: Attempt, pin?: string): Promise<Outcome> => {
    let revision: string | undefined;
    try {
      const verified = loader.verify(tried.parts);
      ({ revision } = verified);
      if (pin !== undefined && pin !== revision)
        throw new Error(`with the switches of today the bundle of ${pin} is ${revision}`);
      if (revision === serving.policy.revision) {
        // Its signature may be another.
        serving = { ...serving, verified };
        metrics.loaded('unchanged');
        await ledger.pin(pin);
        return { outcome: 'unchanged', revision };
      }
      const policy = await loader.prepare(verified, deadlineMs);
      // First on record: what somebody was answered by must be there after a restart.
      const changes = changesBetween(comparedOf(serving.verified), comparedOf(verified));
      await ledger.activated(tried, { revision, changes }, pin);
      serving = { policy, verified, source: tried.source, since: now() };
      announce();
      return { outcome: 'activated', revision };
    } catch (error) {
      return refuse(tried, error, revision);
    }
  };
  return { serving: () => serving, attempt, refuse };
};
