import { BadRequestError } from '@tenure/contracts';
import { onlyFrom } from '@tenure/http';
import { Router } from 'express';
import { allWhere } from '../../application/all-where.js';
import { type Stores } from '../../ports/stores.js';
import { queryOf } from '../internal-query.js';

/** As many as a node may have traits. */
const MAX_NAMES = 50;

/** The deploy templates that a deployment takes its steps from; names that no template has are left out. */
export function internalDeployTemplateRouter({ resources }: Pick<Stores, 'resources'>): Router {
  const router = Router({ caseSensitive: true });
  router.get('/internal/deploy-templates', onlyFrom('conductor'), async (request, response) => {
    const names = namesIn(queryOf(request, ['names'])['names']);
    const found = await resources.deploy_templates.list(
      allWhere({ field: 'name', op: 'in', values: names }),
    );
    response.json({ deploy_templates: found.map(({ name, steps }) => ({ name, steps })) });
  });
  return router;
}

function namesIn(text: string | undefined): readonly string[] {
  const names = (text ?? '').split(',').filter((name) => name !== '');
  if (names.length === 0 || names.length > MAX_NAMES)
    throw new BadRequestError(`Give 1 to ${String(MAX_NAMES)} names.`);
  return names;
}
