import { AppError } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { type Allocations } from '../ports/machines.js';

/** The allocation service, which reserves the node of a server under the server's own uuid. */
export const allocationsHttp = (client: ServiceClient): Allocations => ({
  request: async ({ uuid, project_id: owner, resource_class, traits }, filter, context) => {
    try {
      await client.call({
        method: 'POST',
        target: '/v1/allocations',
        body: { uuid, resource_class, traits },
        context: {
          ...context,
          resources: [],
          obligations: { ...context.obligations, filter, set: { owner } },
        },
      });
    } catch (error) {
      // Requested before, by a run that ended before it could record that.
      if (!isStatus(error, 409)) throw error;
    }
  },
  release: async (uuid, { tenancy_revision }, context) => {
    try {
      await client.call({
        method: 'DELETE',
        target: `/v1/allocations/${uuid}`,
        context: { ...context, resources: [{ type: 'allocation', uuid, tenancy_revision }] },
      });
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  },
});

const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof AppError && statuses.includes(error.status);
