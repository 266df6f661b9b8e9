import { NotFoundError } from '@tenure/contracts';
import { type LoggedDecision } from '@tenure/decision-log';
import { memberOf } from '@tenure/policy';
import { type AttemptedResource } from '../../ports/audit-queries.js';
import { type Page, PATHS } from '../page.js';
import { membersOf, TryQuery } from '../queries.js';
import { type LoggedNode, whatIfView } from '../views/what-if.js';
import { type PageContext, type PageRequest } from './context.js';
import { personaOf, requireAction, triedDocument } from './matrix.js';

/** Number of the newest decisions that are searched for nodes. */
const LOOKED_AT = 300;

/** The page for a hypothetical question. */
export async function whatIfPage(context: PageContext, request: PageRequest): Promise<Page> {
  const query = membersOf(TryQuery, request.query);
  const { persona = '', action = '' } = query;
  const [matrix, nodes] = await Promise.all([context.auditQueries.matrix(), nodesOfLog(context)]);
  const page = { title: 'What if', path: PATHS.whatIf };
  if (persona === '' || action === '')
    return { ...page, body: whatIfView(query, matrix, nodes, undefined), document: { nodes } };
  personaOf(persona);
  requireAction(matrix, action);
  const resource = await attemptedResource(context, query);
  const tried = await context.auditQueries.attempt({
    persona,
    action,
    ...(resource !== undefined && { resource }),
  });
  return { ...page, body: whatIfView(query, matrix, nodes, tried), document: triedDocument(tried) };
}

async function nodesOfLog(
  { auditQueries }: PageContext,
  node?: string,
): Promise<readonly LoggedNode[]> {
  const filter = node === undefined ? {} : { node };
  const { decisions } = await auditQueries.search({ ...filter, limit: LOOKED_AT, skip: 0 });
  return nodesOf(decisions);
}

async function attemptedResource(
  context: PageContext,
  { node = '', owner = '', lessee = '' }: TryQuery,
): Promise<AttemptedResource | undefined> {
  if (node !== '') {
    const [logged] = await nodesOfLog(context, node);
    if (logged === undefined)
      throw new NotFoundError(
        'No decision about that node is in the log; say its owner and lessee instead.',
      );
    return { owner: logged.owner, lessee: logged.lessee };
  }
  return owner === '' && lessee === '' ? undefined : { owner: idOr(owner), lessee: idOr(lessee) };
}

/** Nodes of some decisions, each as the newest of them has it. */
const nodesOf = (newestFirst: readonly LoggedDecision[]): readonly LoggedNode[] => [
  ...new Map(
    newestFirst
      .toReversed()
      .flatMap(nodeIn)
      .map((node) => [node.id, node]),
  ).values(),
];

function nodeIn({ record }: LoggedDecision): readonly LoggedNode[] {
  const resource = memberOf(memberOf(record, 'input'), 'resource');
  const id = idOr(memberOf(resource, 'id'));
  if (id === null || memberOf(resource, 'type') !== 'node') return [];
  return [
    { id, owner: idOr(memberOf(resource, 'owner')), lessee: idOr(memberOf(resource, 'lessee')) },
  ];
}

const idOr = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
