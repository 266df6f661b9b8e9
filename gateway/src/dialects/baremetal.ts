import {
  formatMicroversion,
  MAX_MICROVERSION,
  MIN_MICROVERSION,
  toIronicBody,
} from '@tenure/contracts';
import { type Dialect } from './dialect.js';
import { negotiate } from './microversion.js';

const RANGE = {
  'X-OpenStack-Ironic-API-Minimum-Version': formatMicroversion(MIN_MICROVERSION),
  'X-OpenStack-Ironic-API-Maximum-Version': formatMicroversion(MAX_MICROVERSION),
};

/** Ironic's dialect, which also answers paths of no API. */
export const BAREMETAL: Dialect = {
  api: 'baremetal',
  isOurs: true,
  errorBody: toIronicBody,
  versionHeaders: (version) => ({
    ...RANGE,
    ...(version !== undefined && { 'X-OpenStack-Ironic-API-Version': version }),
  }),
  requestIdHeaders: ['X-Openstack-Request-Id', 'Openstack-Request-Id'],
  negotiate: (headers) => {
    const version = negotiate(headers);
    return { minor: version.minor, text: formatMicroversion(version) };
  },
};
