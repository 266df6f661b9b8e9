import { type IncomingHttpHeaders } from 'node:http';
import {
  requestedNovaVersion,
  formatMicroversion,
  NOVA_MIN_MICROVERSION,
  type NovaVersionHeaders,
  parseNovaMicroversion,
  toNovaBody,
} from '@tenure/contracts';
import { type Dialect } from './dialect.js';
import { single } from './microversion.js';

const versionHeadersOf = (headers: IncomingHttpHeaders): NovaVersionHeaders => ({
  common: single(headers['openstack-api-version']),
  own: single(headers['x-openstack-nova-api-version']),
});

/** Nova's dialect, as Tenure's compute service implements it. */
export const COMPUTE: Dialect = {
  api: 'compute',
  isOurs: true,
  errorBody: toNovaBody,
  versionHeaders: (version) =>
    version === undefined
      ? {}
      : {
          'OpenStack-API-Version': `compute ${version}`,
          'X-OpenStack-Nova-API-Version': version,
          Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
        },
  requestIdHeaders: ['X-Openstack-Request-Id', 'X-Compute-Request-Id'],
  negotiate: (headers) => {
    const version = parseNovaMicroversion(versionHeadersOf(headers));
    return { minor: version.minor, text: formatMicroversion(version) };
  },
};

/** The dialect of a real Nova, which checks by itself which versions it serves. */
export const NOVA: Dialect = {
  ...COMPUTE,
  isOurs: false,
  negotiate: (headers) => {
    const requested = requestedNovaVersion(versionHeadersOf(headers));
    const oldest = NOVA_MIN_MICROVERSION;
    if (requested === undefined) return { minor: oldest.minor, text: formatMicroversion(oldest) };
    return { minor: oldest.minor, text: requested === 'latest' ? undefined : requested };
  },
};
