import {
  type AppError,
  type CallContext,
  type Decision,
  NotFoundError,
  type Subject,
  UnavailableError,
} from '@tenure/contracts';
import { type Deadline } from '@tenure/process';
import { type Api } from '../../dialects/dialect.js';
import { type Tenancy } from '../../ports/tenancy-source.js';
import { type BodyMeaning } from '../../routes/bodies/body-kind.js';
import { type LoadedResource } from '../../routes/route.js';

/** A resource as the client named it. */
export interface NamedResource extends Pick<LoadedResource, 'type' | 'loads'> {
  /** As sent, for the error text. */
  readonly sent: string;
  readonly ident: string;
  /** False when the ident cannot name a resource: then there is no look-up. */
  readonly isValid: boolean;
  /** The request creates something on this resource, so the service reports its absence, not the gateway. */
  readonly mayBeMissing: boolean;
}

/** A request for a decision: the question about the resource, and the one about its parent, which must be allowed as well. */
export interface Access {
  readonly api: Api;
  /** The response is a list, whose rows the policy filters. */
  readonly isList: boolean;
  readonly action: string;
  readonly subject: Subject;
  readonly resource: NamedResource | null;
  /** Type and owner of a resource that belongs to a user. Its tenancy is not loaded. */
  readonly personal: { readonly type: string; readonly creator: string } | null;
  readonly within: { readonly action: string; readonly resource: NamedResource | null } | null;
  readonly meaning: BodyMeaning;
  readonly context: CallContext;
  readonly deadline: Deadline;
}

/** The tenancies loaded for an access; undefined where none is needed or none was found. */
export interface Tenancies {
  readonly own: Tenancy | undefined;
  readonly parent: Tenancy | undefined;
}

/** Allowed, with what the signed context needs; or denied, with the error for the client. */
export type Verdict =
  | {
      readonly outcome: 'allow';
      readonly decisionId: string;
      readonly decision: Decision;
      readonly tenancies: Tenancies;
    }
  | { readonly outcome: 'deny'; readonly decisionId: string; readonly error: AppError };

const KINDS = {
  node: 'Node',
  allocation: 'Allocation',
  lease: 'Lease',
  port: 'Port',
  portgroup: 'Portgroup',
  volume_connector: 'Volume connector',
  volume_target: 'Volume target',
  server: 'Instance',
} as const;

/** The error for a missing, deleted or invisible resource: the three cannot be distinguished. */
export function notFound({ loads, sent }: NamedResource): NotFoundError {
  if (loads === 'node_allocation')
    return new NotFoundError(`Allocation for node ${sent} was not found`);
  return loads === 'node_lease'
    ? new NotFoundError(`Lease for node ${sent} was not found`)
    : NotFoundError.of(KINDS[loads], sent);
}

/** The resource whose absence a service's 404 reports; null when the request names none, or may name a missing one. */
export const namedIn = ({ resource, within }: Access): NamedResource | null =>
  resource === null || resource.mayBeMissing ? (within?.resource ?? null) : resource;

export const tooLong = (): UnavailableError => new UnavailableError('The request took too long.');
