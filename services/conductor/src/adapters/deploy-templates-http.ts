import { Type } from '@sinclair/typebox';
import { api } from '@tenure/contracts';
import { expectAnswer, type ServiceClient } from '@tenure/http';
import { type DeployTemplates } from '../ports/deploy-templates.js';

const Found = Type.Object({
  deploy_templates: Type.Array(
    Type.Object({ name: Type.String(), steps: Type.Array(api.ProvisionStep) }),
  ),
});

/** Deploy templates as the inventory keeps them. */
export const createHttpDeployTemplates = (client: ServiceClient): DeployTemplates => ({
  find: async (context, names) => {
    const query = new URLSearchParams({ names: names.join(',') });
    const target = `/internal/deploy-templates?${query.toString()}`;
    const answer = expectAnswer(Found, await client.call({ context, method: 'GET', target }));
    return answer.deploy_templates;
  },
});
