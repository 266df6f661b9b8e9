import { UnavailableError } from '@tenure/contracts';
import { inTime } from '@tenure/process';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type BasicUsers } from '../../ports/basic-users.js';
import { checkAccessRules } from './access-rules.js';
import { type Credentials } from './credentials.js';
import { type TokenAuthority } from './token-authority.js';

/** The credentials of a request, and the request that they authenticate. */
interface AuthenticationRequest {
  readonly credentials: Credentials;
  /** `X-Service-Token`: a service sends the request for the user of the token in the credentials. */
  readonly serviceToken: string | undefined;
  /** Client address as the rate limits count it: for IPv6 a whole /64. */
  readonly address: string;
  /** Type of the requested service, as in Keystone's catalog. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

export interface Authenticator {
  /**
   * Identifies the sender of a request. Returns a promise only when the identity is not cached.
   * @throws UnauthorizedError, AppError 429, or UnavailableError when the identity could not be determined in time
   */
  readonly authenticate: (request: AuthenticationRequest) => Identity | Promise<Identity>;
}

export interface AuthenticatorOptions {
  readonly tokens: TokenAuthority;
  /** Undefined where HTTP Basic authentication is off. */
  readonly basic: BasicUsers | undefined;
  /** Roles of which a service token must have one; empty where service tokens are ignored. */
  readonly serviceRoles: readonly string[];
  /** Milliseconds for the whole authentication. */
  readonly deadlineMs: number;
}

/** Identifies callers by token or by name and password, and accepts requests that a service sends for them. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, basic, deadlineMs } = options;
  const serviceRoles = new Set(options.serviceRoles.map((role) => role.toLowerCase()));

  const checkService = async (token: string, address: string): Promise<void> => {
    const { subject, keystone } = await tokens.identify({ token, address, allowExpired: false });
    const isService = subject.roles.some((role) => serviceRoles.has(role.toLowerCase()));
    if (keystone === null || !isService)
      throw unauthorized('the service token is not one of a service');
  };

  const fromService = async (
    token: string,
    serviceToken: string,
    { address }: AuthenticationRequest,
  ): Promise<Identity> => {
    await checkService(serviceToken, address);
    return tokens.identify({ token, address, allowExpired: true });
  };

  const fromBasic = (
    user: string,
    password: string,
    address: string,
  ): Identity | Promise<Identity> => {
    if (basic === undefined) throw unauthorized('Basic authentication is not enabled');
    return basic.identify(user, password, address);
  };

  return {
    authenticate: (request) => {
      const { credentials, address, service, method, path } = request;
      if (credentials.kind === 'basic') {
        const identity = fromBasic(credentials.user, credentials.password, address);
        return identity instanceof Promise ? inTime(deadlineMs, identity, tooLate) : identity;
      }
      const serviceToken = serviceRoles.size > 0 ? request.serviceToken : undefined;
      const isFromService = serviceToken !== undefined;
      const found = isFromService
        ? fromService(credentials.token, serviceToken, request)
        : tokens.identify({ token: credentials.token, address, allowExpired: false });
      const permitted = (identity: Identity): Identity => {
        checkAccessRules(identity, { service, method, path, isFromService });
        return identity;
      };
      return found instanceof Promise
        ? inTime(deadlineMs, found, tooLate).then(permitted)
        : permitted(found);
    },
  };
}

function tooLate(): never {
  throw new UnavailableError('Authentication took too long.', { headers: { 'Retry-After': '1' } });
}
