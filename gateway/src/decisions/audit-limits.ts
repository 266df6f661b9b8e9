import { Type } from '@sinclair/typebox';
import { NO_OBLIGATIONS, parse, type Subject } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type Logger } from '@tenure/process';

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

const accountOf = ({ project_id: project, user_id: user }: Subject): string =>
  project === null ? `user:${user}` : `project:${project}`;

/** Before the first `refresh` there are no limits: the decision point then uses its own default. */
export const createAuditLimits = ({ inventory, logger }: AuditLimitsOptions): AuditLimits => {
  let known: ReadonlyMap<string, number | null> = new Map();
  let isStale = false;

  const read = async (): Promise<typeof known> => {
    const answer = await inventory.call({
      method: 'GET',
      target: '/internal/quotas/audit',
      statement: {
        aud: 'inventory',
        request_id: 'req-audit-limits',
        subject: null,
        action: 'tenure:quota:read',
        decision_id: null,
        api_version: '1.1',
        public_base: '',
        resources: [],
        obligations: NO_OBLIGATIONS,
      },
    });
    return new Map(Object.entries(parse(Limits, answer, 'limits of the decision log').limits));
  };

  return {
    of: (subject) => {
      const own = known.get(accountOf(subject));
      return own === undefined ? known.get('default') : own;
    },
    refresh: async () => {
      try {
        known = await read();
        isStale = false;
      } catch (error) {
        if (!isStale)
          logger.warn({ err: error }, 'the limits of the decision log could not be read');
        isStale = true;
      }
    },
  };
};

/** Refreshes the limits at once, and then every `everyMs` milliseconds. */
export const followAuditLimits = (
  limits: Pick<AuditLimits, 'refresh'>,
  everyMs: number,
): { readonly stop: () => void } => {
  void limits.refresh();
  const timer = setInterval(() => {
    void limits.refresh();
  }, everyMs);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
};
