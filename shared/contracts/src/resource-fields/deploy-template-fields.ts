import { Type } from '@sinclair/typebox';
import {
  catalogueOf,
  field,
  fieldsFrom,
  REQUIRED,
  REQUIRED_SORTABLE,
  SORTABLE,
  UNIQUE,
  WRITABLE,
  type RecordWith,
} from './catalogue.js';
import { TemplateStep, Trait } from './field-schemas.js';

const DEPLOY_TEMPLATE_FIELDS = {
  uuid: field.givenUuid(55, SORTABLE),
  created_at: field.givenMoment(55, SORTABLE),
  updated_at: field.moment(55, SORTABLE),
  name: field.givenText(55, { ...REQUIRED_SORTABLE, ...UNIQUE }, Trait),
  extra: field.members(55, WRITABLE),
  steps: field.listOfMembers(
    55,
    REQUIRED,
    Type.Array(TemplateStep, { minItems: 1, maxItems: 1000 }),
  ),
};

export type DeployTemplateFields = RecordWith<typeof DEPLOY_TEMPLATE_FIELDS>;

/** Every field of a deploy template, in the order of its view. */
export const DEPLOY_TEMPLATE_CATALOGUE = catalogueOf({
  what: 'deploy template',
  since: 55,
  fields: fieldsFrom(DEPLOY_TEMPLATE_FIELDS),
  linkMembers: { links: 55 },
  listFields: ['uuid', 'name'],
  tail: ['links', 'steps'],
});
