import { type AccessRule, type Identity, unauthorized } from '@tenure/tokens';
import { matchesPath } from './path-pattern.js';

/** Maximum of comparisons for one request: a few milliseconds, and far more than ordinary rules need. */
const MAX_EFFORT = 50_000;

/**
 * Enforces the access rules of an application credential. A request that a service sends for the user is exempt, because
 * the rules are about the service that the user called.
 * @throws UnauthorizedError when no rule permits the request
 */
export function checkAccessRules(
  { accessRules }: Pick<Identity, 'accessRules'>,
  request: {
    /** Type of the service, as in Keystone's catalog and in access rules. */
    readonly service: string;
    readonly method: string;
    readonly path: string;
    readonly isFromService: boolean;
  },
): void {
  if (accessRules === null || request.isFromService) return;
  const about = (rule: AccessRule): boolean =>
    rule.service === request.service && rule.method === request.method;
  const rules = accessRules.filter(about);
  const effort = { left: MAX_EFFORT };
  const forms = formsOf(request.path);
  if (!rules.some(({ path }) => forms.some((form) => matchesPath(path, form, effort))))
    throw unauthorized('no access rule of the application credential permits the request');
}

/** Clients write a collection with and without a slash at its end; it is the same route. */
const formsOf = (path: string): readonly string[] =>
  path.length > 1 && path.endsWith('/') ? [path, path.slice(0, -1)] : [path];
