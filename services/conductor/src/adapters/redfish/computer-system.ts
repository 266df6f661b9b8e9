import { type Deadline, isOver, pause } from '../../deadline.js';
import { DriverFailure } from '../../domain/driver-failure.js';
import { type BmcMethod } from '../../ports/bmc-observer.js';
import { BmcCallFailure } from './bmc-error.js';
import { type BmcAnswer } from './bmc-transport.js';
import { type Bmc } from './bmc.js';

/** What is used of a Redfish ComputerSystem. */
export interface SystemView {
  readonly path: string;
  readonly etag: string | undefined;
  /** `On`, `Off`, `PoweringOn`, …; empty when the BMC does not say. */
  readonly powerState: string;
  readonly resetPath: string | undefined;
  readonly resetTypes: readonly string[] | undefined;
  readonly bootTarget: string | undefined;
  readonly bootEnabled: string | undefined;
  readonly bootTargets: readonly string[] | undefined;
}

/** Reads may be tried again: they change nothing. A BMC that hangs is not asked twice. */
const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 500;

type Json = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}; // any JSON object is one
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const textsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : undefined;
const pathOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && /^\/[^/\\\s]/u.test(text) ? text : undefined;
};

const viewOf = (path: string, { data, headers }: BmcAnswer): SystemView => {
  const reset = objectOf(objectOf(data['Actions'])['#ComputerSystem.Reset']);
  const boot = objectOf(data['Boot']);
  return {
    path,
    etag: headers['etag'] ?? textOf(data['@odata.etag']),
    powerState: textOf(data['PowerState']) ?? '',
    resetPath: pathOf(reset['target']),
    resetTypes: textsOf(reset['ResetType@Redfish.AllowableValues']),
    bootTarget: textOf(boot['BootSourceOverrideTarget']),
    bootEnabled: textOf(boot['BootSourceOverrideEnabled']),
    bootTargets: textsOf(boot['BootSourceOverrideTarget@Redfish.AllowableValues']),
  };
};

const isWorthRetry = (error: unknown): boolean =>
  error instanceof BmcCallFailure &&
  (error.kind === 'unreachable' ||
    (error.status !== undefined && [429, 502, 503, 504].includes(error.status)));

/** Reads the system; a busy or briefly unreachable BMC is asked up to three times. */
export const readSystem = async (
  bmc: Bmc,
  path: string,
  deadline: Deadline,
): Promise<SystemView> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return viewOf(path, await bmc.request({ method: 'GET', path }, deadline));
    } catch (error) {
      if (attempt >= READ_ATTEMPTS || isOver(deadline) || !isWorthRetry(error)) throw error;
      await pause(READ_PAUSE_MS * attempt, deadline);
    }
  }
};

interface Change {
  readonly method: Extract<BmcMethod, 'POST' | 'PATCH'>;
  readonly path: string;
  readonly body: Json;
  readonly ifMatch: string | undefined;
}

const send = (bmc: Bmc, change: Change, deadline: Deadline): Promise<BmcAnswer> => {
  const headers = change.ifMatch === undefined ? {} : { 'if-match': change.ifMatch };
  return bmc.command(
    { method: change.method, path: change.path, body: change.body, headers },
    deadline,
  );
};

const PRECONDITION = new Set([412, 428]);

/** Sends a change; a 412 says that it was not made, so the ETag is fetched again and the change sent once more. */
const sendMatching = async (
  bmc: Bmc,
  system: SystemView,
  change: Change,
  deadline: Deadline,
): Promise<void> => {
  try {
    await send(bmc, change, deadline);
  } catch (error) {
    if (
      !(error instanceof BmcCallFailure) ||
      error.status === undefined ||
      !PRECONDITION.has(error.status)
    )
      throw error;
    const fresh = await readSystem(bmc, system.path, deadline);
    await send(bmc, { ...change, ifMatch: fresh.etag ?? '*' }, deadline);
  }
};

/** Sends a reset of the first of `types` that the BMC takes. The answer is not believed: read the system afterwards. */
export const resetSystem = async (
  bmc: Bmc,
  system: SystemView,
  types: readonly string[],
  deadline: Deadline,
): Promise<void> => {
  const type = types.find(
    (name) => system.resetTypes === undefined || system.resetTypes.includes(name),
  );
  if (type === undefined)
    throw new DriverFailure('unsupported', `the BMC does not offer ${types.join(' or ')}`);
  const path = system.resetPath ?? `${system.path}/Actions/ComputerSystem.Reset`;
  await sendMatching(
    bmc,
    system,
    { method: 'POST', path, body: { ResetType: type }, ifMatch: undefined },
    deadline,
  );
};

/** Sets the boot override. The answer is not believed: read the system afterwards. */
export const overrideBoot = async (
  bmc: Bmc,
  system: SystemView,
  boot: { readonly target: string; readonly persistent: boolean },
  deadline: Deadline,
): Promise<void> => {
  const body = {
    Boot: {
      BootSourceOverrideTarget: boot.target,
      BootSourceOverrideEnabled: boot.persistent ? 'Continuous' : 'Once',
    },
  };
  await sendMatching(
    bmc,
    system,
    { method: 'PATCH', path: system.path, body, ifMatch: system.etag },
    deadline,
  );
};
