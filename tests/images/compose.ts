import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from '../support/paths.js';

interface Mount {
  readonly type: 'volume' | 'bind';
  readonly source: string;
  readonly target: string;
  readonly volume?: { readonly subpath?: string };
}

export interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly Mount[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

/** Paths on this machine for those of the compose file. */
export interface Places {
  /** Folder of a volume. */
  readonly volume: (name: string) => string;
  /** Addresses as the compose file has them → as they are here. */
  readonly addresses: readonly (readonly [there: string, here: string])[];
}

/** compose.yaml, with what it refers to put in. */
export const composeFile = (): ComposeFile =>
  parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeFile; // `docker compose config` checks it by its schema

/**
 * The environment of a service, with what the image sets, and every path and address put in its place on this machine. A path that
 * no volume brings stays as it is, and is not found.
 */
export function environmentOf(service: Service, places: Places): Readonly<Record<string, string>> {
  // The longest first: one place may lie in another.
  const mounted = (service.volumes ?? []).flatMap((mount) => placesOf(mount, places));
  const replaced = [...mounted, ...places.addresses, ['0.0.0.0', '127.0.0.1'] as const].sort(
    ([one], [other]) => other.length - one.length,
  );
  const here = (value: string): string => {
    const found = replaced.find(([there]) => value === there || value.startsWith(`${there}/`));
    return found === undefined ? value : found[1] + value.slice(found[0].length);
  };
  return Object.fromEntries(
    Object.entries({ TENURE_DATA_DIR: '/var/lib/tenure', ...service.environment }).map(
      // A variable that is not set outside compose has its default.
      ([name, value]) => [name, here(value.replaceAll(/\$\{\w+:-([^}]*)\}/gu, '$1'))],
    ),
  );
}

/** Place in the container → place here; also of a folder of which only one below it is mounted, where it is in the volume. */
function placesOf(mount: Mount, { volume }: Places): readonly (readonly [string, string])[] {
  const { type, source, target } = mount;
  if (type === 'bind') return [[target, path.join(root, source)]];
  const below = mount.volume?.subpath ?? '';
  const places = [[target, path.join(volume(source), below)] as const];
  return below !== '' && target.endsWith(`/${below}`)
    ? [...places, [target.slice(0, -below.length - 1), volume(source)]]
    : places;
}
