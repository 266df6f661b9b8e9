import { type Page, PATHS } from '../page.js';
import { membersOf, NoQuery } from '../queries.js';
import { statusView } from '../views/status.js';
import { type PageContext, type PageRequest } from './context.js';

export function policyPage({ status }: PageContext, { query }: PageRequest): Page {
  membersOf(NoQuery, query);
  const now = status();
  return { title: 'Policy', path: PATHS.policy, body: statusView(now), document: now };
}
