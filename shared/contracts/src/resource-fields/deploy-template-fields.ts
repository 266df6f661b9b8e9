import { catalogueOf, fieldsFrom } from './catalogue.js';

/** Every field of a deploy template, in the order in which it is shown. */
export const DEPLOY_TEMPLATE_CATALOGUE = catalogueOf({
  fields: fieldsFrom([
    ['uuid', 'uuid', 55, 's'],
    ['created_at', 'timestamp', 55, 's'],
    ['updated_at', 'timestamp', 55, 's'],
    ['name', 'string', 55, 'wsr'],
    ['extra', 'object', 55, 'w'],
    ['steps', 'object_list', 55, 'wr'],
  ]),
  linkMembers: { links: 55 },
  listFields: ['uuid', 'name'],
  tail: ['links', 'steps'],
});
