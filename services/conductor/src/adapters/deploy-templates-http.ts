import { Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { type ServiceClient } from '@tenure/http';
import { ProvisionStep } from '../domain/provision/order.js';
import { type DeployTemplates } from '../ports/deploy-templates.js';
import { createAskInventory, odd } from './inventory-ask.js';

const Found = Type.Object({
  deploy_templates: Type.Array(
    Type.Object({ name: Type.String(), steps: Type.Array(ProvisionStep) }),
  ),
});

/** Deploy templates as the inventory keeps them. */
export const createHttpDeployTemplates = (client: ServiceClient): DeployTemplates => {
  const ask = createAskInventory(client);
  return {
    find: async (behalf, names) => {
      const query = new URLSearchParams({ names: names.join(',') });
      const target = `/internal/deploy-templates?${query.toString()}`;
      const answer = await ask(behalf, { method: 'GET', target });
      if (!matches(Found, answer)) throw odd();
      return answer.deploy_templates;
    },
  };
};
