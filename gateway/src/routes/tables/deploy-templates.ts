import { DEPLOY_TEMPLATE_CATALOGUE } from '@tenure/contracts';
import { ANSWER } from '../answers.js';
import { BODY } from '../body-kinds.js';
import { type Route } from '../route.js';
import { collectionSince, FIELDS, listOf, rowsOf } from './rows.js';

const SINCE = collectionSince(55, 'deploy templates');
const template = (verb: string): string => `baremetal:deploy_template:${verb}`;

const read = rowsOf({ upstream: 'inventory', since: SINCE.read });
const write = rowsOf({ upstream: 'inventory', since: SINCE.write });

/** Deploy templates. They have no owner, so every decision depends on the caller alone. */
export const DEPLOY_TEMPLATE_ROUTES: readonly Route[] = [
  read({
    method: 'GET',
    path: '/v1/deploy_templates',
    summary: 'List deploy templates',
    answer: ANSWER.deployTemplate.list,
    action: template('get'),
    query: listOf(DEPLOY_TEMPLATE_CATALOGUE),
  }),
  read({
    method: 'GET',
    path: '/v1/deploy_templates/{ident}',
    summary: 'Show a deploy template',
    answer: ANSWER.deployTemplate.one,
    action: template('get'),
    query: FIELDS,
  }),
  write({
    method: 'POST',
    path: '/v1/deploy_templates',
    summary: 'Create a deploy template',
    answer: ANSWER.deployTemplate.created,
    action: template('create'),
    body: BODY.deployTemplate,
  }),
  write({
    method: 'PATCH',
    path: '/v1/deploy_templates/{ident}',
    summary: 'Update a deploy template',
    answer: ANSWER.deployTemplate.updated,
    action: template('update'),
    body: BODY.deployTemplatePatch,
  }),
  write({
    method: 'DELETE',
    path: '/v1/deploy_templates/{ident}',
    summary: 'Delete a deploy template',
    answer: ANSWER.done,
    action: template('delete'),
  }),
];
