import { Type } from '@sinclair/typebox';
import { parse, type Subject } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { createOutage, every, type Logger, type Repetition } from '@tenure/process';
import { newCallContext } from '@tenure/signed-context';

const Limits = Type.Object({
  limits: Type.Record(
    Type.String({ maxLength: 300 }),
    Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  ),
});

/** Limits of the decision log for projects, as operators set them (docs/quotas.md). */
export interface AuditLimits {
  /** Bytes a day; null: no limit; undefined: no operator set one. */
  readonly of: (subject: Subject) => number | null | undefined;
  /** Reads the limits again; on a failure the previous ones stay. */
  readonly refresh: () => Promise<void>;
}

interface AuditLimitsOptions {
  readonly inventory: Pick<ServiceClient, 'call'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Before the first `refresh` there are no limits: the decision point then uses its own default. */
export function createAuditLimits({ inventory, logger }: AuditLimitsOptions): AuditLimits {
  let cached: ReadonlyMap<string, number | null> = new Map();
  const outage = createOutage({
    began: (error) => {
      logger.warn({ err: error }, 'the limits of the decision log could not be read');
    },
  });

  const read = async (): Promise<typeof cached> => {
    const answer = await inventory.call({
      method: 'GET',
      target: '/internal/quotas/audit',
      context: newCallContext('tenure:quota:read', { request_id: 'req-audit-limits' }),
    });
    return new Map(Object.entries(parse(Limits, answer, 'limits of the decision log').limits));
  };

  return {
    of: (subject) => {
      const own = cached.get(accountOf(subject));
      return own === undefined ? cached.get('default') : own;
    },
    refresh: async () => {
      try {
        cached = await read();
        outage.succeeded();
      } catch (error) {
        outage.failed(error);
      }
    },
  };
}

/** Refreshes the limits at once, and again `everyMs` milliseconds after each refresh. */
export const followAuditLimits = (
  limits: Pick<AuditLimits, 'refresh'>,
  everyMs: number,
): Repetition => every(everyMs, limits.refresh);

const accountOf = ({ project_id: project, user_id: user }: Subject): string =>
  project === null ? `user:${user}` : `project:${project}`;
