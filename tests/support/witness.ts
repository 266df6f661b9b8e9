import { type Tenure } from './tenure.js';
import { eventually } from './wait.js';

/** A request, and the credentials of its sender. */
interface Knock {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
}

/** Sends requests, and remembers with which secrets, and which of them the gateway would not answer. */
export interface Witness {
  /** Throws when no answer has come within ten seconds. */
  knock(knock: Knock): Promise<Response>;
  /** For secrets that others used. */
  remember(...secrets: readonly string[]): void;
  /** The ids of requests whose sender was not authenticated and of which there is not exactly one audit line. */
  unrecorded(): Promise<readonly string[]>;
  /** The secrets that are anywhere in what the parts of Tenure printed. */
  betrayed(): readonly string[];
}

/** Statuses that a request gets whose sender could not be authenticated; a 429 of these suites is always about logins. */
const UNKNOWN_SENDER: ReadonlySet<number> = new Set([401, 429, 503]);
/** A shorter text may occur anywhere by chance. */
const MIN_SECRET = 8;

export function witnessOf(tenure: Tenure): Witness {
  const secrets = new Set<string>();
  const refused: string[] = [];
  const remember = (...found: readonly string[]): void => {
    for (const secret of found) if (secret.length >= MIN_SECRET) secrets.add(secret);
  };
  const auditLines = (): readonly string[] =>
    tenure
      .log()
      .split('\n')
      .filter((line) => line.includes('"audit":"authentication_failed"'));
  const unrecorded = (): readonly string[] => {
    const lines = auditLines();
    return refused.filter((id) => lines.filter((line) => line.includes(`"${id}"`)).length !== 1);
  };
  return {
    knock: async ({ headers = {}, method = 'GET', path = '/v1/nodes', body }) => {
      for (const value of Object.values(headers)) remember(...secretsIn(value));
      const response = await fetch(`${tenure.url}${path}`, {
        method,
        headers: {
          'X-OpenStack-Ironic-API-Version': '1.65',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(10_000),
      });
      if (UNKNOWN_SENDER.has(response.status))
        refused.push(response.headers.get('x-openstack-request-id') ?? 'an answer without an id');
      return response;
    },
    remember,
    unrecorded: async () => {
      if (refused.length === 0) throw new Error('nobody was refused');
      // A line may be on its way to the file still.
      return eventually(unrecorded, (ids) => ids.length === 0, { within: 3000 }).catch(unrecorded);
    },
    betrayed: () => {
      const log = tenure.log();
      return [...secrets].filter((secret) => log.includes(secret));
    },
  };
}

/** Each part of a token carries information, and so do name and password of Basic credentials, encoded or not. */
function secretsIn(value: string): readonly string[] {
  const bare = value.replace(/^(?:Bearer|Basic) /u, '');
  const decoded = value.startsWith('Basic ') ? Buffer.from(bare, 'base64').toString() : '';
  return [...bare.split('.').slice(bare.includes('.') ? 1 : 0), decoded.replace(/^[^:]*:/u, '')];
}
