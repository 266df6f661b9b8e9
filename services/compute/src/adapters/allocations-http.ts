import { AppError } from '@tenure/contracts';
import { type Allocations } from '../ports/machines.js';
import { type CallPart } from './part-call.js';

const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof AppError && statuses.includes(error.status);

/** The allocation service, which reserves the node of a server under the server's own uuid. */
export const allocationsHttp = (call: CallPart): Allocations => ({
  request: async ({ uuid, project_id: owner, resource_class, traits }, filter, on) => {
    try {
      await call({
        method: 'POST',
        target: '/v1/allocations',
        body: { uuid, resource_class, traits },
        on: {
          ...on,
          resources: [],
          obligations: { ...on.obligations, filter, set: { owner } },
        },
      });
    } catch (error) {
      // Asked for before, by a run that did not live to write that down.
      if (!isStatus(error, 409)) throw error;
    }
  },
  release: async (uuid, { tenancy_revision }, on) => {
    try {
      await call({
        method: 'DELETE',
        target: `/v1/allocations/${uuid}`,
        on: { ...on, resources: [{ type: 'allocation', uuid, tenancy_revision }] },
      });
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  },
});
