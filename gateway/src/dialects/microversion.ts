import { type IncomingHttpHeaders } from 'node:http';
import {
  baremetalVersionOf,
  type Microversion,
  NotAcceptableError,
  parseMicroversion,
} from '@tenure/contracts';

/** The value of a header. The strict parser has refused duplicates. */
export const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/**
 * The microversion a request asks for, in Ironic's own header or in OpenStack's common one.
 * @throws NotAcceptableError when it is not served, or the two headers differ
 */
export function negotiate(headers: IncomingHttpHeaders): Microversion {
  const own = single(headers['x-openstack-ironic-api-version'])?.trim();
  const common = baremetalVersionOf(single(headers['openstack-api-version']));
  const version = parseMicroversion(own ?? common);
  if (
    own !== undefined &&
    common !== undefined &&
    parseMicroversion(common).minor !== version.minor
  )
    throw new NotAcceptableError(
      'X-OpenStack-Ironic-API-Version and OpenStack-API-Version ask for different versions.',
    );
  return version;
}

/** Whether a request asks for a served version below `minor`. A version that is not served is refused later. */
export function asksBelow(headers: IncomingHttpHeaders, minor: number): boolean {
  try {
    return negotiate(headers).minor < minor;
  } catch {
    return false;
  }
}
