import { type ContextClaims } from '@tenure/contracts';
import { type Response } from 'express';
import { type RouteDeps } from './change-server.js';

/** One call of `POST /servers/{id}/action`. */
export interface ActionCall {
  readonly deps: RouteDeps;
  readonly claims: ContextClaims;
  readonly body: unknown;
  readonly response: Response;
}
