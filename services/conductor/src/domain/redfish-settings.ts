import { bmcUrlIn, type NodeRecord } from '@tenure/contracts';
import { DriverFailure } from './driver-failure.js';

type RedfishAuth = 'basic' | 'session' | 'auto';

/** `driver_info` of a redfish node, checked. */
export interface RedfishSettings {
  /** Scheme, host and port, for example `https://192.0.2.7:8443`. */
  readonly origin: string;
  /** Path of the system; null: the BMC's only one. */
  readonly systemPath: string | null;
  readonly username: string | null;
  readonly password: string | null;
  /** `system`: the trust of the machine; `none`: certificates are not checked. */
  readonly trust: 'system' | 'none' | { readonly caFile: string };
  readonly auth: RedfishAuth;
}

const SYSTEMS = '/redfish/v1/Systems/';
const SAFE_PATH = /^(?:\/[A-Za-z0-9._~:@!$&'()*+,;=-]+)+\/?$/u;

const TRUTHY: readonly unknown[] = [true, 'true', 'True', 'yes', 'on', '1'];
const FALSY: readonly unknown[] = [false, 'false', 'False', 'no', 'off', '0'];

/**
 * Reads a node's redfish settings.
 * @throws DriverFailure (`settings`) naming the member that is wrong, never its value
 */
export function redfishSettingsOf(node: NodeRecord): RedfishSettings {
  const username = textOf(node, 'redfish_username');
  const password = textOf(node, 'redfish_password');
  if ((username === null) !== (password === null))
    throw bad('redfish_username and redfish_password must be given together');
  const auth = authOf(node);
  if (auth !== 'auto' && username === null)
    throw bad(`redfish_auth_type ${auth} needs redfish_username and redfish_password`);
  return {
    origin: originOf(node),
    systemPath: systemPathOf(node),
    username,
    password,
    trust: trustOf(node),
    auth,
  };
}

function textOf(node: NodeRecord, key: string): string | null {
  const value = node.driver_info[key];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > 1024)
    throw bad(`${key} must be a string of at most 1024 characters`);
  return value;
}

const bad = (message: string): DriverFailure => new DriverFailure('settings', message);

function authOf(node: NodeRecord): RedfishAuth {
  const auth = textOf(node, 'redfish_auth_type') ?? 'auto';
  if (auth === 'basic' || auth === 'session' || auth === 'auto') return auth;
  throw bad('redfish_auth_type must be basic, session or auto');
}

function originOf(node: NodeRecord): string {
  const address = textOf(node, 'redfish_address');
  if (address === null) throw bad('redfish_address is missing in driver_info');
  const url = bmcUrlIn(address);
  if (url === undefined) throw bad('redfish_address must be an http or https address');
  if (url.username !== '' || url.password !== '')
    throw bad('redfish_address must not hold credentials');
  if (hasMoreThanOrigin(url)) throw bad('redfish_address must be scheme, host and port only');
  return url.origin;
}

function systemPathOf(node: NodeRecord): string | null {
  const id = textOf(node, 'redfish_system_id');
  if (id === null) return null;
  const path = id.startsWith('/') ? id : `${SYSTEMS}${id}`;
  if (
    !SAFE_PATH.test(path) ||
    path.split('/').some((segment) => segment === '.' || segment === '..')
  )
    throw bad('redfish_system_id must be the path of a system, without query or dot segments');
  return path.replace(/\/$/u, '');
}

function trustOf(node: NodeRecord): RedfishSettings['trust'] {
  const value = node.driver_info['redfish_verify_ca'];
  if (value === undefined || value === null || TRUTHY.includes(value)) return 'system';
  if (FALSY.includes(value)) return 'none';
  if (
    typeof value === 'string' &&
    value.startsWith('/') &&
    value.length <= 1024 &&
    !value.includes('\0')
  )
    return { caFile: value };
  throw bad('redfish_verify_ca must be true, false or the absolute path of a CA file');
}

const hasMoreThanOrigin = ({ pathname, search, hash }: URL): boolean =>
  (pathname !== '/' && pathname !== '') || search !== '' || hash !== '';
