import { BadRequestError } from '@tenure/contracts';
import { type WriteRules } from './write-rules.js';

export const CHASSIS_RULES: WriteRules = {
  removed: async ({ stores }, { uuid }) => {
    const nodes = await stores.nodes.list({
      anyOf: null,
      where: [{ field: 'chassis_uuid', op: 'eq', value: uuid }],
      order: { field: null, descending: false },
      after: null,
      limit: 1,
    });
    if (nodes.length > 0)
      throw new BadRequestError(
        `Cannot complete the requested action because chassis ${uuid} contains nodes.`,
      );
  },
};
