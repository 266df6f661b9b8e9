/**
 * The answer to each caller for an operation on a server. One letter a caller, in the order of `CALLERS`:
 *
 * | letter | answer                                                                             |
 * | ------ | ---------------------------------------------------------------------------------- |
 * | A      | allowed: what the upstream answers                                                  |
 * | 3      | 403 that names `rule`                                                               |
 * | 4      | 404, as for a server that does not exist                                            |
 */
export interface Operation {
  readonly name: string;
  /** `{server}` is the id of the server. */
  readonly line: string;
  readonly body?: unknown;
  readonly rule: string;
  /** Nova's status when all goes well. */
  readonly ok: number;
  /** Ours, for an active server whose machine does not exist: what bare metal cannot do is refused after the policy has decided. */
  readonly own: number;
  /** Without an overlay. */
  readonly off: string;
  /** With `overlays/user_id.yaml`. */
  readonly on: string;
}

/** The callers. The last one has the creator's token, for a server whose creator is not recorded. */
export const CALLERS = [
  'creator',
  'colleague',
  'project admin',
  'other project',
  'system admin',
  'no user_id',
] as const;
export type Caller = (typeof CALLERS)[number];

const ACTION = 'POST /v2.1/servers/{server}/action';
const SERVER = '/v2.1/servers/{server}';
const IMAGE = 'http://images.test/other.iso';

/** The fourteen operations of specification 004. By hand: nothing here is derived from the policy. */
export const FOURTEEN: readonly Operation[] = [
  {
    name: 'delete',
    line: `DELETE ${SERVER}`,
    rule: 'os_compute_api:servers:delete',
    ok: 204,
    own: 204,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'update',
    line: `PUT ${SERVER}`,
    body: { server: { name: 'renamed' } },
    rule: 'os_compute_api:servers:update',
    ok: 200,
    own: 200,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'changePassword',
    line: ACTION,
    body: { changePassword: { adminPass: 'not-a-real-password' } },
    rule: 'os_compute_api:os-admin-password',
    ok: 202,
    own: 409,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'lock',
    line: ACTION,
    body: { lock: null },
    rule: 'os_compute_api:os-lock-server:lock',
    ok: 202,
    own: 202,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'pause',
    line: ACTION,
    body: { pause: null },
    rule: 'os_compute_api:os-pause-server:pause',
    ok: 202,
    own: 501,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'rebuild',
    line: ACTION,
    body: { rebuild: { imageRef: IMAGE } },
    rule: 'os_compute_api:servers:rebuild',
    ok: 202,
    own: 409,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'resize',
    line: ACTION,
    body: { resize: { flavorRef: 'another' } },
    rule: 'os_compute_api:servers:resize',
    ok: 202,
    own: 501,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'rescue',
    line: ACTION,
    body: { rescue: {} },
    rule: 'os_compute_api:os-rescue',
    ok: 200,
    own: 200,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'stop',
    line: ACTION,
    body: { 'os-stop': null },
    rule: 'os_compute_api:servers:stop',
    ok: 202,
    own: 202,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'suspend',
    line: ACTION,
    body: { suspend: null },
    rule: 'os_compute_api:os-suspend-server:suspend',
    ok: 202,
    own: 501,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'evacuate',
    line: ACTION,
    body: { evacuate: { onSharedStorage: false } },
    rule: 'os_compute_api:os-evacuate',
    ok: 200,
    own: 400,
    off: '3 3 3 4 A 3',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'forceDelete',
    line: ACTION,
    body: { forceDelete: null },
    rule: 'os_compute_api:os-deferred-delete:force',
    ok: 202,
    own: 202,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'shelve',
    line: ACTION,
    body: { shelve: null },
    rule: 'os_compute_api:os-shelve:shelve',
    ok: 202,
    own: 501,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
  {
    name: 'trigger_crash_dump',
    line: ACTION,
    body: { trigger_crash_dump: null },
    rule: 'os_compute_api:servers:trigger_crash_dump',
    ok: 202,
    own: 409,
    off: 'A A A 4 A A',
    on: 'A 3 3 4 A 3',
  },
];

/** Operations that the overlay does not change: reading, and those that disrupt at most. */
export const OTHERS: readonly Operation[] = [
  {
    name: 'show',
    line: `GET ${SERVER}`,
    rule: 'os_compute_api:servers:show',
    ok: 200,
    own: 200,
    off: 'A A A 4 A A',
    on: 'A A A 4 A A',
  },
  {
    name: 'reboot',
    line: ACTION,
    body: { reboot: { type: 'HARD' } },
    rule: 'os_compute_api:servers:reboot',
    ok: 202,
    own: 202,
    off: 'A A A 4 A A',
    on: 'A A A 4 A A',
  },
  {
    name: 'start',
    line: ACTION,
    body: { 'os-start': null },
    rule: 'os_compute_api:servers:start',
    ok: 202,
    own: 409,
    off: 'A A A 4 A A',
    on: 'A A A 4 A A',
  },
  {
    name: 'unlock',
    line: ACTION,
    body: { unlock: null },
    rule: 'os_compute_api:os-lock-server:unlock',
    ok: 202,
    own: 202,
    off: 'A A A 4 A A',
    on: 'A A A 4 A A',
  },
  {
    name: 'console output',
    line: ACTION,
    body: { 'os-getConsoleOutput': { length: 10 } },
    rule: 'os_compute_api:os-console-output',
    ok: 200,
    own: 501,
    off: 'A A A 4 A A',
    on: 'A A A 4 A A',
  },
];
