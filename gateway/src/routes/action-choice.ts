import { type Query } from './query.js';

/** Query and body of a request, from which a route may derive the action. */
export interface ActionInput {
  readonly query: Query;
  /** The body, of the route's kind; undefined when it is empty. */
  readonly json: unknown;
}

/** An action that depends on the query or the body. */
export interface ActionChoice {
  /** Every action that may be chosen, for readers of the API's description. */
  readonly among: readonly string[];
  /** @throws BadRequestError when the request selects none of them */
  readonly choose: (input: ActionInput) => string;
}

/** A resource that belongs to a user rather than to a project. Its tenancy is not loaded. */
export interface PersonalResource {
  readonly type: 'keypair';
  /**
   * The user who owns the resource.
   * @throws BadRequestError when the request names an invalid user
   */
  readonly user: (input: ActionInput, caller: string) => string;
}
