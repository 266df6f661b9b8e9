import {
  AppError,
  BadRequestError,
  ConflictError,
  type ContextClaims,
  minorOf,
  type ServerRecord,
} from '@tenure/contracts';
import { contextOf } from '@tenure/http';
import { callContextOf } from '@tenure/signed-context';
import { type Response, Router } from 'express';
import { assertTakes, type StatefulAction } from '../domain/action-states.js';
import {
  assertActionBody,
  readLockRequest,
  readRebootRequest,
  readRescueRequest,
} from '../domain/change-requests.js';
import { assertUnlocked } from '../domain/conditions.js';
import { newPassword } from '../domain/password.js';
import { type ActionCall } from './action-call.js';
import {
  changeServer,
  namedServer,
  type RouteDeps,
  type NewTask,
  requestTask,
} from './change-server.js';
import { contextOnNode } from './decided-server.js';
import { rebuildServer } from './rebuild-server.js';
import { deleteServer } from './server-routes.js';

type Action = (call: ActionCall) => Promise<void>;

/** An action that requests a task without arguments. */
const plain =
  (action: StatefulAction, wanted: NewTask): Action =>
  async ({ deps, claims, response }) => {
    await requestTask(deps, claims, (server) => {
      assertTakes(action, server);
      return wanted;
    });
    accepted(response);
  };

/** An action that is impossible on bare metal: refused after the checks of the server's state. */
const impossible =
  (verb: string, action: StatefulAction | null, refusal: () => AppError): Action =>
  async ({ deps, claims, body }) => {
    assertActionBody(verb, body);
    const server = await namedServer(deps, claims);
    assertUnlocked(server, claims);
    if (action !== null) assertTakes(action, server);
    throw refusal();
  };

const unsupported = (): AppError =>
  new AppError('not_implemented', 501, 'The requested functionality is not supported.');

const noPassword = (): AppError =>
  new ConflictError('not_supported', 'Set admin password is not supported.');

const noConsole = (): AppError =>
  new AppError('not_implemented', 501, 'Unable to get console log, functionality not implemented.');

const hostInUse = (): AppError =>
  new BadRequestError('A bare-metal server is bound to its machine and cannot be evacuated.');

const reboot: Action = async ({ deps, claims, body, response }) => {
  const { soft } = readRebootRequest(body);
  await requestTask(deps, claims, (server) => {
    assertTakes(soft ? 'reboot' : 'rebootHard', server);
    const taskState = soft ? 'rebooting' : 'rebooting_hard';
    return { kind: 'reboot', taskState, arguments: { soft } };
  });
  accepted(response);
};

const rescue: Action = async ({ deps, claims, body, response }) => {
  const adminPass = readRescueRequest(body).adminPass ?? newPassword();
  await requestTask(deps, claims, (server) => {
    assertTakes('rescue', server);
    return { kind: 'rescue', taskState: 'rescuing', arguments: { admin_pass: adminPass } };
  });
  response.json({ adminPass });
};

/** By whom it is locked is a fact of the token: one of the server's own project, or another that may. */
const lockerOf = ({ subject }: ContextClaims, { project_id: project }: ServerRecord) =>
  subject?.project_id === project ? 'owner' : 'admin';

const lock: Action = async ({ deps, claims, body, response }) => {
  const { reason } = readLockRequest(body, minorOf(claims));
  await changeServer(deps, claims, (server) => {
    const locker = lockerOf(claims, server);
    // As in Nova: an owner's lock takes nothing from one that is there.
    if (server.locked_by !== null && locker === 'owner') return undefined;
    return { locked_by: locker, locked_reason: reason };
  });
  accepted(response);
};

const unlock: Action = async ({ deps, claims, response }) => {
  await changeServer(deps, claims, ({ locked_by: locker }) =>
    locker === null ? undefined : { locked_by: null, locked_reason: null },
  );
  accepted(response);
};

const crashDump: Action = async ({ deps, claims, response }) => {
  const server = await namedServer(deps, claims);
  assertUnlocked(server, claims);
  assertTakes('trigger_crash_dump', server);
  const { node } = await deps.servers.placement(server.uuid, callContextOf(claims));
  if (node === null) throw new ConflictError('no_node', `Instance ${server.uuid} is not ready`);
  await deps.nodes.injectNmi(node, contextOnNode(claims));
  accepted(response);
};

const forceDelete: Action = async ({ deps, claims, response }) => {
  await deleteServer(deps, claims);
  accepted(response);
};

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['changePassword', impossible('changePassword', 'changePassword', noPassword)],
  ['confirmResize', impossible('confirmResize', 'confirmResize', unsupported)],
  ['evacuate', impossible('evacuate', 'evacuate', hostInUse)],
  ['forceDelete', forceDelete],
  ['lock', lock],
  ['os-getConsoleOutput', impossible('os-getConsoleOutput', null, noConsole)],
  ['os-start', plain('start', { kind: 'start', taskState: 'powering-on' })],
  ['os-stop', plain('stop', { kind: 'stop', taskState: 'powering-off' })],
  ['pause', impossible('pause', 'pause', unsupported)],
  ['reboot', reboot],
  ['rebuild', rebuildServer],
  ['rescue', rescue],
  ['resize', impossible('resize', 'resize', unsupported)],
  ['resume', impossible('resume', 'resume', unsupported)],
  ['revertResize', impossible('revertResize', 'revertResize', unsupported)],
  ['shelve', impossible('shelve', 'shelve', unsupported)],
  ['shelveOffload', impossible('shelveOffload', 'shelveOffload', unsupported)],
  ['suspend', impossible('suspend', 'suspend', unsupported)],
  ['trigger_crash_dump', crashDump],
  ['unlock', unlock],
  ['unpause', impossible('unpause', 'unpause', unsupported)],
  ['unrescue', plain('unrescue', { kind: 'unrescue', taskState: 'unrescuing' })],
  ['unshelve', impossible('unshelve', 'unshelve', unsupported)],
]);

/** `POST /v2.1/servers/{id}/action`. */
export function actionRouter(deps: RouteDeps): Router {
  const router = Router({ caseSensitive: true });
  router.post('/v2.1/servers/:id/action', async (request, response) => {
    const body: unknown = request.body;
    const verb = verbIn(body);
    const action = ACTIONS.get(verb);
    if (action === undefined)
      throw new BadRequestError(`There is no such action: ${verb.slice(0, 64)}`);
    await action({ deps, claims: contextOf(request), body, response });
  });
  return router;
}

function accepted(response: Response): void {
  response.status(202).set('Content-Length', '0').end();
}

/** The name of the one member of the body is the action, and the gateway got a decision on just that action. */
function verbIn(body: unknown): string {
  const members = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const [verb] = members;
  if (verb === undefined || members.length > 1 || Array.isArray(body))
    throw new BadRequestError('Malformed request body');
  return verb;
}
