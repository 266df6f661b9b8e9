import { type TSchema, Type } from '@sinclair/typebox';
import {
  api,
  formatMicroversion,
  MAX_MICROVERSION,
  type Microversion,
  MIN_MICROVERSION,
  NOVA_MAX_MICROVERSION,
  NOVA_MIN_MICROVERSION,
} from '@tenure/contracts';
import { type Api } from '../../dialects/dialect.js';

interface ApiForm {
  readonly oldest: Microversion;
  readonly newest: Microversion;
  /** The header that asks for a microversion. */
  readonly versionHeader: string;
  /** Name of the component that describes that header. */
  readonly versionParameter: string;
  readonly errorBody: TSchema;
  /** Prefix of the component names of its error responses. */
  readonly prefix: string;
  /** Headers of every answer. */
  readonly headers: readonly string[];
}

/** The differences between the APIs in the description. */
export const APIS: Readonly<Record<Api, ApiForm>> = {
  baremetal: {
    oldest: MIN_MICROVERSION,
    newest: MAX_MICROVERSION,
    versionHeader: 'X-OpenStack-Ironic-API-Version',
    versionParameter: 'Microversion',
    errorBody: api.ErrorBody,
    prefix: '',
    headers: [
      'X-OpenStack-Request-Id',
      'OpenStack-Request-Id',
      'X-OpenStack-Ironic-API-Minimum-Version',
      'X-OpenStack-Ironic-API-Maximum-Version',
      'X-OpenStack-Ironic-API-Version',
      'X-Tenure-Decision-Id',
    ],
  },
  compute: {
    oldest: NOVA_MIN_MICROVERSION,
    newest: NOVA_MAX_MICROVERSION,
    versionHeader: 'X-OpenStack-Nova-API-Version',
    versionParameter: 'ComputeMicroversion',
    errorBody: api.ComputeErrorBody,
    prefix: 'Compute',
    headers: [
      'X-OpenStack-Request-Id',
      'X-Compute-Request-Id',
      'OpenStack-API-Version',
      'X-OpenStack-Nova-API-Version',
      'X-Tenure-Decision-Id',
    ],
  },
};

/** The APIs in the order of the description. */
export const EVERY_API: readonly Api[] = ['baremetal', 'compute'];

/** The schema of a microversion in the header. */
export const versionSchema = ({ oldest, newest }: ApiForm): TSchema =>
  Type.String({
    pattern: `^(?:latest|${oldest.major}\\.[0-9]{1,4})$`,
    default: formatMicroversion(oldest),
    examples: [formatMicroversion(newest), 'latest'],
  });
