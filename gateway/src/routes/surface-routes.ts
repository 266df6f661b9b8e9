import { createMatcher } from './match-route.js';
import { ROUTES } from './route-table.js';
import { type Route } from './route.js';

/** Which routes a listener serves: all of them, or the agents' apart from everything else. */
export type Surface = 'agents' | 'all' | 'tenants';

/** The version documents, which an agent reads first. */
const VERSION_DOCUMENTS: ReadonlySet<string> = new Set(['/', '/v1']);

const isForAgents = ({ agent, path }: Route): boolean =>
  agent !== undefined || VERSION_DOCUMENTS.has(path);

/** Finds the route of a request; a route that the listener does not serve counts as unknown. */
export const MATCHERS = {
  all: createMatcher(ROUTES),
  tenants: createMatcher(ROUTES.filter(({ agent }) => agent === undefined)),
  agents: createMatcher(ROUTES.filter(isForAgents)),
} as const satisfies Record<Surface, ReturnType<typeof createMatcher>>;
