import { NotFoundError } from '@tenure/contracts';
import { type LoggedDecision } from '@tenure/decision-log';
import { memberOf } from '@tenure/policy';
import { type AttemptedThing } from '../../ports/audit-desk.js';
import { type Page, PATHS } from '../page.js';
import { membersOf, TryQuery } from '../queries.js';
import { type KnownNode, whatIfView } from '../views/what-if.js';
import { type PageContext, type PageRequest } from './context.js';
import { personaOf, requireAction, triedDocument } from './matrix.js';

/** How many of the newest decisions nodes are looked for in. */
const LOOKED_AT = 300;

/** A question that nobody asked. */
export async function whatIfPage(context: PageContext, request: PageRequest): Promise<Page> {
  const query = membersOf(TryQuery, request.query);
  const { persona = '', action = '' } = query;
  const [matrix, nodes] = await Promise.all([context.desk.matrix(), nodesOfLog(context)]);
  const page = { title: 'What if', path: PATHS.whatIf };
  if (persona === '' || action === '')
    return { ...page, body: whatIfView(query, matrix, nodes, undefined), document: { nodes } };
  personaOf(persona);
  requireAction(matrix, action);
  const thing = await thingOf(context, query);
  const tried = await context.desk.attempt({
    persona,
    action,
    ...(thing !== undefined && { thing }),
  });
  return { ...page, body: whatIfView(query, matrix, nodes, tried), document: triedDocument(tried) };
}

async function nodesOfLog({ desk }: PageContext, node?: string): Promise<readonly KnownNode[]> {
  const filter = node === undefined ? {} : { node };
  const { decisions } = await desk.search({ ...filter, limit: LOOKED_AT, skip: 0 });
  return nodesOf(decisions);
}

async function thingOf(
  context: PageContext,
  { node = '', owner = '', lessee = '' }: TryQuery,
): Promise<AttemptedThing | undefined> {
  if (node !== '') {
    const [known] = await nodesOfLog(context, node);
    if (known === undefined)
      throw new NotFoundError(
        'No decision about that node is in the log; say its owner and lessee instead.',
      );
    return { owner: known.owner, lessee: known.lessee };
  }
  return owner === '' && lessee === '' ? undefined : { owner: idOr(owner), lessee: idOr(lessee) };
}

/** Nodes of some decisions, each as the newest of them has it. */
const nodesOf = (newestFirst: readonly LoggedDecision[]): readonly KnownNode[] => [
  ...new Map(
    newestFirst
      .toReversed()
      .flatMap(nodeIn)
      .map((node) => [node.id, node]),
  ).values(),
];

function nodeIn({ record }: LoggedDecision): readonly KnownNode[] {
  const resource = memberOf(memberOf(record, 'input'), 'resource');
  const id = idOr(memberOf(resource, 'id'));
  if (id === null || memberOf(resource, 'type') !== 'node') return [];
  return [
    { id, owner: idOr(memberOf(resource, 'owner')), lessee: idOr(memberOf(resource, 'lessee')) },
  ];
}

const idOr = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
