import { type ServerResponse } from 'node:http';
import { type PageContext, type PageRequest } from './pages/context.js';
import { filterOf } from './pages/decisions.js';
import { LiveEventsQuery, membersOf, momentOf } from './queries.js';
import { SAFE_HEADERS } from './respond.js';
import { decisionLinesOf } from './views/parts.js';

/** Bytes that may wait for a slow reader before its connection is closed. */
const MAX_BACKLOG = 1024 * 1024;
/** Interval for checking that the viewer is still admitted. */
const ADMIT_EVERY_MS = 30_000;

/**
 * Decisions as they are made, as server-sent events.
 * @param stillAdmitted rejects when the viewer is no longer admitted
 * @throws UnavailableError when too many watch, NotFoundError where there is no log, both before anything is sent
 */
export async function sendLiveEvents(
  { auditQueries, now }: PageContext,
  request: PageRequest,
  response: ServerResponse,
  stillAdmitted: () => Promise<unknown>,
): Promise<void> {
  const query = membersOf(LiveEventsQuery, request.query);
  const closed = new AbortController();
  const leave = (): void => {
    closed.abort();
  };
  response.once('close', leave);
  const timer = setInterval(() => {
    stillAdmitted().catch(leave);
  }, ADMIT_EVERY_MS);
  try {
    await auditQueries.follow(
      filterOf(query),
      momentOf(query.from, now()),
      closed.signal,
      ({ decisions, left }) => {
        if (!response.headersSent)
          response.writeHead(200, { ...SAFE_HEADERS, 'Content-Type': 'text/event-stream' });
        const data = JSON.stringify({ lines: decisions.flatMap(decisionLinesOf), left });
        response.write(`data: ${data}\n\n`);
        if (response.writableLength > MAX_BACKLOG) leave();
      },
    );
  } finally {
    clearInterval(timer);
  }
  response.end();
}
