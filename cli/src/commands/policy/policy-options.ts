import {
  type JsonObject,
  policyDataOf,
  type PolicyMaterial,
  revisionOf,
  type SwitchValues,
} from '@tenure/policy';
import { compileWasmPolicy, readPolicyFiles, type WasmPolicy } from '@tenure/policy/runtime';
import { type Environment } from '@tenure/process';
import { InvalidArgumentError, Option } from 'commander';

/** The source of the policy of a command. */
export interface PolicyOptions {
  readonly bundle: string;
  readonly overlay: readonly string[];
}

/** Further options of commands that evaluate the policy. */
export interface AskOptions extends PolicyOptions {
  readonly switch: SwitchValues;
  readonly json?: true;
}

/** A policy that can be evaluated under any switches. */
export interface LoadedPolicy {
  /** The files it was loaded from. */
  readonly material: PolicyMaterial;
  /** The data with overlays and the bundle's own switches. */
  readonly data: JsonObject;
  /** The revision that the decision point reports, without switches from its environment. */
  readonly revision: string;
  /** @throws PolicyRefused for a switch that the policy does not have */
  readonly under: (switches: SwitchValues) => Promise<WasmPolicy>;
}

/** Memory a policy may take, in pages of 64 KiB: the decision point's default. */
const MAXIMUM_PAGES = 2048;

const BOOLEAN_TEXTS: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  false: false,
  off: false,
};

export const bundleOption = (env: Environment): Option =>
  new Option('--bundle <file>', 'bundle (.tar.gz), or a directory that holds one').default(
    env['PDP_BUNDLE'] ?? 'policies-rego/bundle.tar.gz',
  );

/** The overlays of the environment, as the decision point has them, unless others are named. */
export function overlayOption(env: Environment): Option {
  const own = (env['TENURE_POLICY_OVERLAYS'] ?? '').split(',').filter((file) => file !== '');
  const append = (value: string, all: readonly string[]): readonly string[] =>
    all === own ? [value] : [...all, value];
  return new Option('--overlay <file>', 'overlay; repeat for several, a later one wins')
    .argParser(append)
    .default(own);
}

/** Switches of the question, on top of the bundle's. */
export const switchOption = (): Option =>
  new Option('--switch <name=value>', 'set a switch; repeat for several')
    .argParser(withSwitch)
    .default({}, 'as in the bundle');

/**
 * Opens a policy whose files were read before.
 * @throws PolicyRefused when it cannot be used, with file and line for an overlay
 */
export async function openPolicy(material: PolicyMaterial): Promise<LoadedPolicy> {
  const data = policyDataOf(material, {});
  const make = await compileWasmPolicy(material.wasm, { maximumPages: MAXIMUM_PAGES });
  return {
    material,
    data,
    revision: revisionOf(material.wasm, data),
    under: (switches) => make(policyDataOf(material, switches)),
  };
}

/**
 * Reads bundle and overlays, once, as the decision point does.
 * @throws PolicyRefused when they cannot be used, with file and line for an overlay
 */
export const loadPolicy = async ({ bundle, overlay }: PolicyOptions): Promise<LoadedPolicy> =>
  openPolicy(await readPolicyFiles({ bundle, overlays: overlay }));

function withSwitch(text: string, all: SwitchValues): SwitchValues {
  const [name = '', value, ...rest] = text.split('=');
  if (name === '' || value === undefined || value === '' || rest.length > 0)
    throw new InvalidArgumentError('say name=value, for example enforce_new_defaults=false');
  return { ...all, [name]: Object.hasOwn(BOOLEAN_TEXTS, value) ? BOOLEAN_TEXTS[value] : value };
}
