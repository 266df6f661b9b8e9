import { BadRequestError, isAllTenants } from '@tenure/contracts';
import { type ActionChoice } from './action-choice.js';

/** Nova's policy action of each member that the body of `POST /servers/{id}/action` may have. */
const SERVER_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['changePassword', 'os_compute_api:os-admin-password'],
  ['confirmResize', 'os_compute_api:servers:confirm_resize'],
  ['evacuate', 'os_compute_api:os-evacuate'],
  ['forceDelete', 'os_compute_api:os-deferred-delete:force'],
  ['lock', 'os_compute_api:os-lock-server:lock'],
  ['os-getConsoleOutput', 'os_compute_api:os-console-output'],
  ['os-start', 'os_compute_api:servers:start'],
  ['os-stop', 'os_compute_api:servers:stop'],
  ['pause', 'os_compute_api:os-pause-server:pause'],
  ['reboot', 'os_compute_api:servers:reboot'],
  ['rebuild', 'os_compute_api:servers:rebuild'],
  ['rescue', 'os_compute_api:os-rescue'],
  ['resize', 'os_compute_api:servers:resize'],
  ['resume', 'os_compute_api:os-suspend-server:resume'],
  ['revertResize', 'os_compute_api:servers:revert_resize'],
  ['shelve', 'os_compute_api:os-shelve:shelve'],
  ['shelveOffload', 'os_compute_api:os-shelve:shelve_offload'],
  ['suspend', 'os_compute_api:os-suspend-server:suspend'],
  ['trigger_crash_dump', 'os_compute_api:servers:trigger_crash_dump'],
  ['unlock', 'os_compute_api:os-lock-server:unlock'],
  ['unpause', 'os_compute_api:os-pause-server:unpause'],
  ['unrescue', 'os_compute_api:os-unrescue'],
  ['unshelve', 'os_compute_api:os-shelve:unshelve'],
]);

/** Every member that a body of `POST /servers/{id}/action` may have. */
export const SERVER_VERBS: readonly string[] = [...SERVER_ACTIONS.keys()];

/** The action choice of `POST /servers/{id}/action`. */
export const SERVER_ACTION: ActionChoice = {
  among: [...SERVER_ACTIONS.values()],
  choose: ({ json }) => serverActionIn(json),
};

/**
 * The policy action that the body of `POST /servers/{id}/action` requests by its only member.
 * @throws BadRequestError with Nova's messages, for no member, several, or one that is no action
 */
export function serverActionIn(json: unknown): string {
  const members = typeof json === 'object' && json !== null ? Object.keys(json) : [];
  const [verb] = members;
  if (verb === undefined || members.length > 1 || Array.isArray(json))
    throw new BadRequestError('Malformed request body');
  const action = SERVER_ACTIONS.get(verb);
  if (action === undefined)
    throw new BadRequestError(
      `There is no such action: ${verb.slice(0, 64)}. Verify the request body and Content-Type header and try again.`,
    );
  return action;
}

/** The action choice of a list of servers: a list of all projects is a separate action. */
export function listOfServers(plain: string): ActionChoice {
  const ofAll = `${plain}:get_all_tenants`;
  return {
    among: [plain, ofAll],
    choose: ({ query }) => (isAllTenants(query.get('all_tenants')) ? ofAll : plain),
  };
}
