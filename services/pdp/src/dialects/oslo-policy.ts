import { BadRequestError } from '@tenure/contracts';
import { parseJson } from '@tenure/http';
import { isJsonObject, type JsonObject, memberOf, typesOf } from '@tenure/policy';
import { subjectIn } from './authzen-question.js';
import { type Asking, type Dialect, type DialectAnswer, type DialectRequest } from './dialect.js';

const PATH = '/v1/oslo';
const BODY_LIMIT = 256 * 1024;

/** The names that OpenStack's services use for the projects and users of a resource, by the policy's relation for the column. */
const TARGETS: Readonly<Record<string, string>> = {
  owner: 'node.owner',
  lessee: 'node.lessee',
  allocation_owner: 'allocation.owner',
  runbook_owner: 'runbook.owner',
  server_project: 'project_id',
};
const CREATOR = 'user_id';

interface OsloQuery {
  readonly rule: unknown;
  readonly target: unknown;
  readonly credentials: unknown;
}

const answered = (isAllowed: boolean): DialectAnswer => ({
  status: 200,
  type: 'text/plain',
  body: isAllowed ? 'True' : 'False',
});

/** The remote check of oslo.policy (`"baremetal:node:get": "http://…/v1/oslo"`): any answer but the word True is a refusal. */
export const OSLO_POLICY: Dialect = {
  answers: (path) => path === PATH,
  bodyLimit: BODY_LIMIT,
  answer: async (request, asking) => {
    const { decision } = await asking.ask(questionOf(queryIn(request), asking));
    return answered(decision.allow && decision.visible);
  },
};

function questionOf({ rule, target, credentials }: OsloQuery, asking: Asking): JsonObject {
  const action = typeof rule === 'string' ? rule : '';
  const resource = resourceOf(action, target, asking);
  return {
    action,
    subject: subjectIn(credentials),
    resource,
    ...(resource['type'] === 'none' && requestedIn(target)),
    now: asking.now(),
  };
}

/** oslo.policy sends a form whose values are JSON, or JSON, as `remote_content_type` says. */
function queryIn({ headers, body }: DialectRequest): OsloQuery {
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim()
    .toLowerCase();
  if (type === 'application/json') {
    const parsed = parseJson(body);
    const member = (name: string): unknown => memberOf(parsed, name);
    return { rule: member('rule'), target: member('target'), credentials: member('credentials') };
  }
  if (type !== 'application/x-www-form-urlencoded')
    throw new BadRequestError('The content type must be that of a form, or application/json.');
  const form = new URLSearchParams(body.toString('utf8'));
  const value = (name: string): unknown => {
    const text = form.get(name);
    return text === null ? undefined : parseJson(Buffer.from(text));
  };
  return { rule: value('rule'), target: value('target'), credentials: value('credentials') };
}

function resourceOf(action: string, target: unknown, { tables }: Asking): JsonObject {
  const [type] = typesOf(action, tables);
  const row = memberOf(tables.resources, type);
  const relations = memberOf(row, 'relations');
  const columns = Object.entries(isJsonObject(relations) ? relations : {}).map(
    ([column, relation]): [string, unknown] => [
      column,
      idIn(target, TARGETS[String(relation)] ?? ''),
    ],
  );
  return {
    type,
    id: idIn(target, 'uuid'),
    owner: null,
    lessee: null,
    ...(Object.fromEntries(columns) as JsonObject), // ids or null, by the name of their column
    ...(memberOf(row, 'creator') === true && { creator: idIn(target, CREATOR) }),
    tenancy_revision: 0,
  };
}

/** The owner of what is about to be made, which the policy must judge. */
function requestedIn(target: unknown): JsonObject {
  const owner =
    idIn(target, 'node.owner') ?? idIn(target, 'allocation.owner') ?? idIn(target, 'runbook.owner');
  return owner === null ? {} : { requested: { owner } };
}

function idIn(target: unknown, name: string): string | null {
  const id = memberOf(target, name);
  return typeof id === 'string' ? id : null;
}
