import { randomUUID } from 'node:crypto';
import { formatMicroversion, MAX_MICROVERSION, MIN_MICROVERSION } from '@tenure/contracts';

const MIN_VERSION = formatMicroversion(MIN_MICROVERSION);
const MAX_VERSION = formatMicroversion(MAX_MICROVERSION);

/** What every answer says, whoever made its body. */
export interface AnswerFacts {
  readonly requestId: string;
  /** Undefined until it is negotiated. */
  readonly apiVersion?: string | undefined;
  readonly decisionId?: string | undefined;
}

/** A request id of our own: a client's would let it write into other people's logs. */
export const newRequestId = (): string => `req-${randomUUID()}`;

/** The headers of every answer. */
export const answerHeaders = ({
  requestId,
  apiVersion,
  decisionId,
}: AnswerFacts): Record<string, string> => ({
  'X-OpenStack-Ironic-API-Minimum-Version': MIN_VERSION,
  'X-OpenStack-Ironic-API-Maximum-Version': MAX_VERSION,
  ...(apiVersion !== undefined && { 'X-OpenStack-Ironic-API-Version': apiVersion }),
  'X-Openstack-Request-Id': requestId,
  'Openstack-Request-Id': requestId,
  ...(decisionId !== undefined && { 'X-Tenure-Decision-Id': decisionId }),
});
