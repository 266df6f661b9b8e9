import { DriverFailure } from '../../domain/driver-failure.js';
import { type BmcClient, type Resource } from './bmc-client.js';
import { notRedfish } from './bmc-error.js';
import { type Json, linkOf, linksOf, objectOf, pathOf, textOf, textsOf } from './json.js';

/** The members of a Redfish ComputerSystem that are used. */
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
  /** `UEFI` or `Legacy`, when the BMC reports it. */
  readonly bootMode: string | undefined;
  readonly biosPath: string | undefined;
  readonly secureBootPath: string | undefined;
  readonly mediaPath: string | undefined;
  readonly managerPaths: readonly string[];
  readonly chassisPaths: readonly string[];
  readonly biosVersion: string | undefined;
}

/** Reads the system, with up to three attempts when the BMC is busy or briefly unreachable. */
export async function readSystem(bmc: BmcClient, path: string): Promise<SystemView> {
  const resource = await bmc.read(path);
  // Every Redfish resource contains its own path; any other JSON document is rejected.
  if (linkOf(resource.data) === undefined)
    throw notRedfish('malformed', 'the system has no @odata.id', { maybeSent: false });
  return viewOf(resource);
}

/** Sends a reset of the first of `types` that the BMC takes. The answer is not believed: read the system afterwards. */
export async function resetSystem(
  bmc: BmcClient,
  system: SystemView,
  types: readonly string[],
): Promise<void> {
  const type = types.find(
    (name) => system.resetTypes === undefined || system.resetTypes.includes(name),
  );
  if (type === undefined)
    throw new DriverFailure('unsupported', `the BMC does not offer ${types.join(' or ')}`);
  const path = system.resetPath ?? `${system.path}/Actions/ComputerSystem.Reset`;
  await bmc.change(system, { method: 'POST', path, body: { ResetType: type } });
}

/** Changes members of the system. The answer is not believed: read the system afterwards. */
export async function patchSystem(bmc: BmcClient, system: SystemView, body: Json): Promise<void> {
  await bmc.change(system, { method: 'PATCH', path: system.path, body });
}

/** Takes the boot override away. The answer is not believed: read the system afterwards. */
export const clearBootOverride = (bmc: BmcClient, system: SystemView): Promise<void> =>
  patchSystem(bmc, system, { Boot: { BootSourceOverrideEnabled: 'Disabled' } });

/** How an override is enabled: for every start, or for the next one. */
export const enabledFor = (persistent: boolean): string => (persistent ? 'Continuous' : 'Once');

/** Sets the boot override. The answer is not believed: read the system afterwards. */
export const overrideBoot = (
  bmc: BmcClient,
  system: SystemView,
  boot: { readonly target: string; readonly persistent: boolean },
): Promise<void> =>
  patchSystem(bmc, system, {
    Boot: {
      BootSourceOverrideTarget: boot.target,
      BootSourceOverrideEnabled: enabledFor(boot.persistent),
    },
  });

function viewOf({ path, etag, data }: Resource): SystemView {
  const reset = objectOf(objectOf(data['Actions'])['#ComputerSystem.Reset']);
  const boot = objectOf(data['Boot']);
  const links = objectOf(data['Links']);
  return {
    path,
    etag,
    powerState: textOf(data['PowerState']) ?? '',
    resetPath: pathOf(reset['target']),
    resetTypes: textsOf(reset['ResetType@Redfish.AllowableValues']),
    bootTarget: textOf(boot['BootSourceOverrideTarget']),
    bootEnabled: textOf(boot['BootSourceOverrideEnabled']),
    bootTargets: textsOf(boot['BootSourceOverrideTarget@Redfish.AllowableValues']),
    bootMode: textOf(boot['BootSourceOverrideMode']),
    biosPath: linkOf(data['Bios']),
    secureBootPath: linkOf(data['SecureBoot']),
    mediaPath: linkOf(data['VirtualMedia']),
    managerPaths: linksOf(links['ManagedBy']),
    chassisPaths: linksOf(links['Chassis']),
    biosVersion: textOf(data['BiosVersion']),
  };
}
