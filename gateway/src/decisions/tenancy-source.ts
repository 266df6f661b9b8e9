import { type ContextStatement } from '@tenure/signed-context';

/** Whose a resource is, at one moment. */
export interface Tenancy {
  readonly uuid: string;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly tenancy_revision: number;
}

/** On whose behalf tenancy is loaded. */
export type Behalf = Pick<
  ContextStatement,
  'request_id' | 'subject' | 'action' | 'api_version' | 'public_base'
>;

/** What the gateway needs of the system of record. */
export interface TenancySource {
  /**
   * @returns undefined when there is no such resource
   * @throws UnavailableError when the answer does not come in time, or is not one
   */
  readonly load: (
    type: 'node' | 'allocation',
    ident: string,
    behalf: Behalf,
  ) => Promise<Tenancy | undefined>;
}
