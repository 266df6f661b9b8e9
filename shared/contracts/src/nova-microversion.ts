import { BadRequestError, NotAcceptableError } from './errors.js';
import { formatMicroversion, type Microversion } from './microversion.js';

export const NOVA_MIN_MICROVERSION: Microversion = { major: 2, minor: 1 };

/** The highest version of the compute API that is advertised. Raised only when every feature up to it works. */
export const NOVA_MAX_MICROVERSION: Microversion = { major: 2, minor: 93 };

// Nova rejects leading zeros.
const FORM = /^(?:0|[1-9][0-9]{0,5})\.(?:0|[1-9][0-9]{0,5})$/u;

/** The version headers of a request; Nova reads its own header only when the common one does not name the service. */
export interface NovaVersionHeaders {
  /** `OpenStack-API-Version`, which may speak of several services. */
  readonly common: string | undefined;
  /** `X-OpenStack-Nova-API-Version`. */
  readonly own: string | undefined;
}

/**
 * The version that a request asks of the compute API, as text; undefined when it asks for none.
 * @throws BadRequestError when it is no version
 */
export function requestedNovaVersion({ common, own }: NovaVersionHeaders): string | undefined {
  const requested = computeVersionOf(common ?? '') ?? own?.trim();
  if (requested === undefined) return undefined;
  if (requested.toLowerCase() === 'latest') return 'latest';
  if (!FORM.test(requested))
    throw new BadRequestError(
      `API Version String ${requested.slice(0, 64)} is of invalid format. Must be of format MajorNum.MinorNum.`,
    );
  return requested;
}

/**
 * The microversion that a request asks of the compute API: the oldest when it asks for none.
 * @throws BadRequestError when it is no version
 * @throws NotAcceptableError when it is not served
 */
export function parseNovaMicroversion(headers: NovaVersionHeaders): Microversion {
  const requested = requestedNovaVersion(headers);
  if (requested === undefined) return NOVA_MIN_MICROVERSION;
  if (requested === 'latest') return NOVA_MAX_MICROVERSION;
  const [major, minor] = requested.split('.').map(Number);
  const isServed =
    major === 2 &&
    minor !== undefined &&
    minor >= NOVA_MIN_MICROVERSION.minor &&
    minor <= NOVA_MAX_MICROVERSION.minor;
  if (!isServed)
    throw new NotAcceptableError(
      `Version ${requested} is not supported by the API. Minimum is ${formatMicroversion(NOVA_MIN_MICROVERSION)} and maximum is ${formatMicroversion(NOVA_MAX_MICROVERSION)}.`,
    );
  return { major: 2, minor };
}

/** The first entry that speaks of the compute service; its older name is still sent. */
function computeVersionOf(header: string): string | undefined {
  for (const entry of header.split(',')) {
    const [service, version, ...rest] = entry.trim().split(/\s+/u);
    if (service?.toLowerCase() === 'compute' && version !== undefined && rest.length === 0)
      return version;
  }
  return undefined;
}
