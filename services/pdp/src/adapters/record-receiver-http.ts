import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { withoutTrailing } from '@tenure/contracts';
import { Agent, request } from 'undici';
import { type RecordReceiver } from '../ports/record-receiver.js';

const compress = promisify(gzip);

export interface HttpReceiverOptions {
  /** URL of the service, without `/logs` at its end. */
  readonly url: string;
  /** Returns the current bearer token; undefined when the service needs none. */
  readonly token: (() => string) | undefined;
  /** Milliseconds for one request. */
  readonly deadlineMs: number;
}

/** A service with OPA's decision log API: `POST <url>/logs` of a gzipped JSON array. */
export function createHttpReceiver({
  url,
  token,
  deadlineMs,
}: HttpReceiverOptions): RecordReceiver {
  const agent = new Agent({ connections: 1, connect: { timeout: deadlineMs } });
  const target = `${withoutTrailing(url, '/')}/logs`;
  return {
    name: 'http',
    send: async (records) => {
      const answer = await request(target, {
        method: 'POST',
        dispatcher: agent,
        signal: AbortSignal.timeout(deadlineMs),
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          ...(token !== undefined && { authorization: `Bearer ${token()}` }),
        },
        body: await compress(commaSeparated(records)),
      });
      await answer.body.dump();
      if (answer.statusCode < 200 || answer.statusCode > 299)
        throw new Error(`the log service answered ${answer.statusCode}`);
    },
    close: () => agent.destroy(),
  };
}

const commaSeparated = (records: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...records.flatMap((record, at) => (at === 0 ? [record] : [Buffer.from(','), record])),
    Buffer.from(']'),
  ]);
