import { UnavailableError } from '@tenure/contracts';
import { inTime } from '@tenure/process';
import { type Identity, unauthorized } from '@tenure/tokens';
import { type BasicUsers } from '../../ports/basic-users.js';
import { checkAccessRules } from './access-rules.js';
import { type Credentials } from './credentials.js';
import { type TokenAuthority } from './token-authority.js';

/** What a request says of who sends it, and what it asks for. */
interface AuthenticationRequest {
  readonly credentials: Credentials;
  /** `X-Service-Token`: a service sends the request for the user whose token it is. */
  readonly serviceToken: string | undefined;
  /** Where it comes from, as limits count it: of IPv6 a whole /64. */
  readonly address: string;
  /** Type of the service that is asked, as in Keystone's catalog. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

export interface Authenticator {
  /**
   * Who sends the request. Not a promise when that is known already.
   * @throws UnauthorizedError, AppError 429, or UnavailableError when it could not be found out in time
   */
  readonly authenticate: (request: AuthenticationRequest) => Identity | Promise<Identity>;
}

export interface AuthenticatorOptions {
  readonly tokens: TokenAuthority;
  /** Undefined where nobody logs in with name and password. */
  readonly basic: BasicUsers | undefined;
  /** Roles that make a token one of a service; empty where service tokens mean nothing. */
  readonly serviceRoles: readonly string[];
  /** Milliseconds for all of it. */
  readonly deadlineMs: number;
}

/** Knows callers by token or by name and password, and whether a service speaks for them. */
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
    if (basic === undefined) throw unauthorized('names and passwords are not taken');
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
