import { createServiceApp } from '@tenure/http';
import { type Logger, type RequestMetrics } from '@tenure/process';
import { type ContextKeys } from '@tenure/signed-context';
import { type Express } from 'express';
import { allocationRouter, nodeAllocationRouter } from './http/allocation-routes.js';
import { type CreateDeps } from './http/create-allocation.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

export interface AppDeps extends CreateDeps {
  readonly keys: ContextKeys;
  readonly logger: Logger;
  readonly metrics?: RequestMetrics | undefined;
}

/** The public routes of the allocation service. Does no I/O itself. */
export const createApp = ({ keys, logger, metrics, ...deps }: AppDeps): Express =>
  createServiceApp({
    keys,
    logger,
    metrics,
    bodyLimit: BODY_LIMIT_BYTES,
    routers: [allocationRouter(deps), nodeAllocationRouter(deps)],
  });
