import { NotAcceptableError } from './errors.js';

/** An API's microversion: the major number is Ironic's 1 or Nova's 2. */
export interface Microversion {
  readonly major: 1 | 2;
  readonly minor: number;
}

export const MIN_MICROVERSION: Microversion = { major: 1, minor: 1 };

/** The highest version advertised. Raised only when every feature up to it works. */
export const MAX_MICROVERSION: Microversion = { major: 1, minor: 91 };

const HEADER_FORM = /^([0-9]{1,4})\.([0-9]{1,4})$/;

export const formatMicroversion = (version: Microversion): string =>
  `${String(version.major)}.${String(version.minor)}`;

const RANGE = `[${formatMicroversion(MIN_MICROVERSION)}, ${formatMicroversion(MAX_MICROVERSION)}]`;

/**
 * The microversion that a request asks for.
 * @param value `latest`, `1.<minor>`, or undefined (the minimum, as Ironic answers clients that ask for nothing)
 * @throws NotAcceptableError (406) for anything else, naming the supported range
 */
export function parseMicroversion(value: string | undefined): Microversion {
  if (value === undefined) return MIN_MICROVERSION;
  if (value.toLowerCase() === 'latest') return MAX_MICROVERSION;
  const match = HEADER_FORM.exec(value);
  if (match === null)
    throw new NotAcceptableError('Invalid value for X-OpenStack-Ironic-API-Version header');
  const major = Number(match[1]);
  const minor = Number(match[2]);
  if (major !== 1)
    throw new NotAcceptableError(
      `Mutually exclusive versions requested. Version ${value} requested but not supported by this service. The supported version range is: ${RANGE}.`,
    );
  if (minor < MIN_MICROVERSION.minor || minor > MAX_MICROVERSION.minor)
    throw new NotAcceptableError(
      `Version ${value} was requested but the minor version is not supported by this service. The supported version range is: ${RANGE}.`,
    );
  return { major: 1, minor };
}

/** `OpenStack-API-Version: baremetal 1.65`; undefined when the header speaks of other services only. */
export function baremetalVersionOf(header: string | undefined): string | undefined {
  for (const entry of (header ?? '').split(',')) {
    const [service, version, ...rest] = entry.trim().split(/\s+/u);
    if (service?.toLowerCase() === 'baremetal' && version !== undefined && rest.length === 0)
      return version;
  }
  return undefined;
}

/** Minor number of the microversion that the gateway negotiated, and checked, of a context's claims. */
export const minorOf = ({ api_version: version }: { readonly api_version: string }): number =>
  Number(version.split('.')[1]);
