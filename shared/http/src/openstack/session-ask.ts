import { type JsonAnswer, type JsonHttp } from './json-http.js';
import { type ServiceSession } from './service-session.js';

/** A question with our own token; once more with a new one when the service no longer takes it. */
export type SessionAsk = (
  path: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<JsonAnswer>;

/** @param http calls to the service */
export function createSessionAsk(http: JsonHttp, session: ServiceSession): SessionAsk {
  const once = async (
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<JsonAnswer> => {
    const token = await session.token();
    const answer = await http.call({
      method: 'GET',
      path,
      headers: { 'x-auth-token': token, ...headers },
    });
    if (answer.status === 401) session.refused(token);
    return answer;
  };
  return async (path, headers = {}) => {
    const first = await once(path, headers);
    return first.status === 401 ? once(path, headers) : first;
  };
}
