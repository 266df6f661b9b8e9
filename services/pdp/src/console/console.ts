import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { BadRequestError, NotFoundError, toAppError, UnauthorizedError } from '@tenure/contracts';
import { type Logger } from '@tenure/process';
import { type Admission, type Viewer } from './admission.js';
import { sendLiveEvents } from './live-events.js';
import { createLoginHandlers, loginPage, seeOther } from './logins.js';
import { type Page, PATH, PATHS } from './page.js';
import { type PageContext, type PageRequest } from './pages/context.js';
import { decisionPage, livePage, searchPage } from './pages/decisions.js';
import { cellPage, matrixPage } from './pages/matrix.js';
import { policyPage } from './pages/policy.js';
import { whatIfPage } from './pages/what-if.js';
import {
  type Answer,
  failureAnswer,
  pageAnswer,
  requireMethod,
  send,
  wantsJson,
} from './respond.js';

export interface ConsoleOptions extends PageContext {
  readonly admission: Admission;
  /** Whether browsers use https, for the attributes of the cookie. */
  readonly isSecure: boolean;
  /** Style sheet and script, as they are sent. */
  readonly assets: { readonly style: string; readonly script: string };
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

const MAX_TARGET = 4096;

type PageOf = (context: PageContext, request: PageRequest) => Page | Promise<Page>;

const PAGES: ReadonlyMap<string, PageOf> = new Map<string, PageOf>([
  [PATHS.decisions, searchPage],
  [PATHS.live, livePage],
  [PATHS.matrix, matrixPage],
  [PATHS.cell, cellPage],
  [PATHS.whatIf, whatIfPage],
  [PATHS.policy, policyPage],
]);

/** Statuses of refused callers. */
const NOT_LET_IN: readonly number[] = [401, 403, 429];

/** The audit console. Every page needs a token of a user whom the policy allows to read decisions. */
export function createConsole(options: ConsoleOptions): RequestListener {
  const { admission, assets, isSecure } = options;
  const logins = createLoginHandlers(admission, isSecure);

  const withoutViewer = (
    request: IncomingMessage,
    path: string,
  ): Answer | Promise<Answer> | undefined => {
    if (path === PATHS.login) return logins.login(request);
    if (path === PATHS.style) return { status: 200, type: 'text/css', body: assets.style };
    if (path === PATHS.script) return { status: 200, type: 'text/javascript', body: assets.script };
    return undefined;
  };

  const withViewer = async (
    request: IncomingMessage,
    pageRequest: PageRequest,
    viewer: Viewer,
  ): Promise<Answer> => {
    if (pageRequest.path === PATHS.logout) return logins.logout(request, viewer);
    requireMethod(request, 'GET');
    if (pageRequest.path === PATH) return seeOther(PATHS.decisions);
    return pageAnswer(
      request,
      await pageFor(pageRequest.path)(options, pageRequest),
      viewer.subject,
    );
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let viewer: Viewer | undefined;
    try {
      const pageRequest = requestOf(request);
      const open = await withoutViewer(request, pageRequest.path);
      if (open !== undefined) {
        send(response, open);
        return;
      }
      viewer = await admission.viewerOf(request);
      if (pageRequest.path === PATHS.liveEvents) {
        requireMethod(request, 'GET');
        await sendLiveEvents(options, pageRequest, response, () => admission.viewerOf(request));
      } else send(response, await withViewer(request, pageRequest, viewer));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else send(response, failed(options, request, error, viewer));
    }
  };
  return (request, response) => {
    void serve(request, response);
  };
}

function pageFor(path: string): PageOf {
  const page = PAGES.get(path);
  if (page !== undefined) return page;
  if (path.startsWith(`${PATHS.decisions}/`)) return decisionPage;
  throw new NotFoundError('There is no such page.');
}

function requestOf({ url = '' }: IncomingMessage): PageRequest {
  if (url.length > MAX_TARGET) throw new BadRequestError('the address is too long');
  const [path = '', query = ''] = url.split(/\?(.*)/su);
  return { path, query: new URLSearchParams(query) };
}

function failed(
  { logger }: ConsoleOptions,
  request: IncomingMessage,
  thrown: unknown,
  viewer: Viewer | undefined,
): Answer {
  const error = toAppError(thrown);
  const line = { err: error, code: error.code, status: error.status };
  if (error.status >= 500) logger.error(line, `console: ${error.message}`);
  const isLogin = viewer === undefined && NOT_LET_IN.includes(error.status);
  if (isLogin) logger.info(line, 'console: login refused');
  if (!isLogin || wantsJson(request)) return failureAnswer(request, error, viewer?.subject);
  const isNobody = error instanceof UnauthorizedError;
  const text = isNobody ? 'Log in with a token that is good.' : error.message;
  // Before the first attempt the page only asks to log in.
  const page = loginPage(error.status, isNobody && request.method === 'GET' ? undefined : text);
  return { ...page, headers: { ...page.headers, ...error.headers } };
}
