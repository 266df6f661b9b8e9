import { type Query } from './query.js';

/** What a request asks for besides its path: the parts that a route's action may follow from. */
export interface Asking {
  readonly query: Query;
  /** The body, of the route's kind; undefined when it is empty. */
  readonly json: unknown;
}

/** An action that follows from what the request asks for. */
export interface ActionChoice {
  /** Every action that may be chosen, for readers of the API's description. */
  readonly among: readonly string[];
  /** @throws BadRequestError when the request asks for none of them */
  readonly choose: (asking: Asking) => string;
}

/** A thing that belongs to a user rather than to a project, whatever there is: nothing is loaded for it. */
export interface PersonalThing {
  readonly type: 'keypair';
  /**
   * The user whose things the request is about.
   * @throws BadRequestError when it names none that can be
   */
  readonly user: (asking: Asking, caller: string) => string;
}
