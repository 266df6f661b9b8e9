import { type Static, Type } from '@sinclair/typebox';
import { BadRequestError, matches } from '@tenure/contracts';
import { isJsonObject, type JsonObject, memberOf, typesOf } from '@tenure/policy';
import { questionOf } from './authzen-question.js';
import { type ActionSearch, Entity, type Evaluation, type Page } from './authzen-shapes.js';
import { type Asking } from './dialect.js';

const ROLES = ['reader', 'member', 'manager', 'admin', 'service'] as const;
const DEFAULT_LIMIT = 100;
const Candidates = Type.Array(Entity, { maxItems: 1000 });

/** The part of the results that a page asks for. */
export function pageOf(
  results: readonly JsonObject[],
  { token = '0', limit = DEFAULT_LIMIT }: Page = {},
): JsonObject {
  const start = Number(token);
  if (!Number.isInteger(start) || start < 0)
    throw new BadRequestError('page.token is not one that was given here.');
  const end = start + limit;
  const rest = results.length > end;
  return {
    results: results.slice(start, end),
    page: {
      next_token: rest ? String(end) : '',
      count: Math.max(0, Math.min(end, results.length) - start),
      total: results.length,
    },
  };
}

/** The candidates that the client names: the policy has types of resources and callers, but no list of existing ones. */
export function candidatesIn(context: unknown): readonly Entity[] | undefined {
  const given = memberOf(context, 'candidates');
  if (given === undefined) return undefined;
  if (!matches(Candidates, given))
    throw new BadRequestError('context.candidates must be at most 1000 objects with type and id.');
  return given;
}

/** The candidates with which an evaluation is allowed. */
export async function allowedOf(
  asking: Asking,
  candidates: readonly Entity[],
  withCandidate: (candidate: Entity) => Evaluation,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (const candidate of candidates)
    if (await isAllowed(asking, withCandidate(candidate)))
      found.push({ type: candidate.type, id: candidate.id });
  return found;
}

/**
 * The callers that the policy distinguishes: each role in the owner's or lessee's project, in any other project, and on the
 * system. Their ids name role and scope; their properties are the claims of such a token.
 */
export function kindsOfSubjects(type: string, resource: Entity): readonly Entity[] {
  const places = [
    ...new Set([memberOf(resource.properties, 'owner'), memberOf(resource.properties, 'lessee')]),
  ]
    .filter((id) => typeof id === 'string' && id !== '')
    .map(String);
  const scopes: readonly (readonly [string, JsonObject])[] = [
    ...places.map((id) => [`project:${id}`, { project_id: id }] as const),
    ['project:*', { project_id: '*' }],
    ['system:all', { project_id: null, system_scope: 'all' }],
  ];
  return scopes.flatMap(([place, scope]) =>
    ROLES.map((role) => ({
      type,
      id: `${role}@${place}`,
      properties: { user_id: '*', ...scope, roles: [role] },
    })),
  );
}

/** The kinds of resources of a type: by which project owns or leases it. */
export function kindsOfResources(type: string, subject: Entity): readonly Entity[] {
  const project = memberOf(subject.properties, 'project_id');
  const own =
    typeof project === 'string' && project !== ''
      ? [
          { type, id: `owner:${project}`, properties: { owner: project } },
          { type, id: `lessee:${project}`, properties: { owner: '*', lessee: project } },
        ]
      : [];
  return [
    ...own,
    { type, id: 'owner:*', properties: { owner: '*' } },
    { type, id: 'owner:none', properties: { owner: null } },
  ];
}

/** Every action that the subject may do to the resource. */
export async function allowedActions(
  asking: Asking,
  { subject, resource, context }: Static<typeof ActionSearch>,
): Promise<readonly JsonObject[]> {
  const actions = Object.keys(asking.tables.actions).filter((action) =>
    typesOf(action, asking.tables).includes(resource.type),
  );
  const question = questionOf(
    { subject, resource, action: { name: 'any' }, ...(isJsonObject(context) && { context }) },
    asking.now(),
  );
  if (actions.length === 0) return [];
  const decisions = await asking.askMany(question, actions);
  return Object.entries(decisions)
    .filter(([, { allow, visible }]) => allow && visible)
    .map(([name]) => ({ name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

async function isAllowed(asking: Asking, evaluation: Evaluation): Promise<boolean> {
  const { decision } = await asking.ask(questionOf(evaluation, asking.now()));
  return decision.allow && decision.visible;
}
