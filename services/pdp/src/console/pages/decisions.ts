import { NotFoundError } from '@tenure/contracts';
import { type DecisionFilter } from '@tenure/policy';
import { type Page, PATHS } from '../page.js';
import { LiveQuery, membersOf, momentOf, NoQuery, SearchQuery } from '../queries.js';
import { decisionView } from '../views/decision.js';
import { decisionsView, liveView } from '../views/decisions.js';
import { type PageContext, type PageRequest } from './context.js';

const PAGE = 50;
const LIVE_PAGE = 20;
const LIVE_REFRESH_SECONDS = 5;

const ID = /^[A-Za-z0-9-]{1,64}$/u;

/** The filter that a form describes; empty fields are not looked at. */
export function filterOf(query: LiveQuery): DecisionFilter {
  const texts = Object.entries({
    user: given(query.user),
    project: given(query.project),
    node: given(query.node),
    action: given(query.action),
    request: given(query.request),
  }).filter(([, text]) => text !== undefined);
  return {
    ...Object.fromEntries(texts),
    ...(query.outcome === 'denied' && { denied: true }),
    ...(query.outcome === 'allowed' && { allowed: true }),
  };
}

export async function searchPage(
  { auditQueries, now }: PageContext,
  request: PageRequest,
): Promise<Page> {
  const query = membersOf(SearchQuery, request.query);
  const since = momentOf(given(query.since), now());
  const until = momentOf(given(query.until), now());
  const found = await auditQueries.search({
    ...filterOf(query),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    limit: PAGE,
    skip: Number(query.skip ?? 0),
  });
  return {
    title: 'Decisions',
    path: PATHS.decisions,
    body: decisionsView(query, found),
    document: {
      decisions: found.decisions.map(({ record }) => record),
      has_more: found.hasMore,
      is_complete: found.isComplete,
    },
  };
}

export async function livePage({ auditQueries }: PageContext, request: PageRequest): Promise<Page> {
  const query = membersOf(LiveQuery, request.query);
  const found = await auditQueries.search({ ...filterOf(query), limit: LIVE_PAGE, skip: 0 });
  return {
    title: 'Live',
    path: PATHS.live,
    body: liveView(query, found),
    document: { decisions: found.decisions.map(({ record }) => record) },
    refresh: LIVE_REFRESH_SECONDS,
  };
}

export async function decisionPage(
  { auditQueries }: PageContext,
  { path, query }: PageRequest,
): Promise<Page> {
  membersOf(NoQuery, query);
  const id = path.slice(PATHS.decisions.length + 1);
  const decision = ID.test(id) ? await auditQueries.find(id) : undefined;
  if (decision === undefined) throw new NotFoundError('There is no such decision in the log.');
  const explained = await auditQueries.explain(decision);
  return {
    title: 'Decision',
    path: PATHS.decisions,
    body: decisionView(decision, explained),
    document: {
      record: decision.record,
      same_policy: explained.isSamePolicy,
      answers: explained.whys,
    },
  };
}

const given = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : text.trim();
