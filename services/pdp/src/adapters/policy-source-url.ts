import { createHash } from 'node:crypto';
import { printFiles, readBundleEntries, readOverlays } from '@tenure/policy/runtime';
import { Agent, type Dispatcher, request } from 'undici';
import { type PolicySource, SourceAway } from '../ports/policy-source.js';

export interface UrlSourceOptions {
  readonly url: string;
  readonly overlays: readonly string[];
  /** Returns the bearer token, called before each request; undefined when the server wants none. */
  readonly token: () => string | undefined;
  /** Milliseconds for one request, its body included. */
  readonly deadlineMs: number;
  /** Bytes of a bundle. */
  readonly maxBytes: number;
}

interface Fetched {
  readonly archive: Buffer;
  readonly etag: string | undefined;
  readonly digest: string;
}

/** A bundle on a web server, requested with its ETag; overlays are files. */
export function createUrlPolicySource(options: UrlSourceOptions): PolicySource {
  const { url, overlays, token, deadlineMs, maxBytes } = options;
  const name = nameOf(url);
  const agent = new Agent({ connections: 1, connect: { timeout: deadlineMs } });
  let latest: Fetched | undefined;

  const ask = async (): Promise<Fetched> => {
    const bearer = token();
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.timeout(deadlineMs),
      headers: {
        accept: 'application/gzip, application/octet-stream',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(latest?.etag !== undefined && { 'if-none-match': latest.etag }),
      },
    });
    if (statusCode === 304 && latest !== undefined) {
      await body.dump();
      return latest;
    }
    if (statusCode !== 200) {
      await body.dump();
      throw new Error(`it answered ${statusCode}`);
    }
    const archive = await bodyOf(body, maxBytes);
    const etag = typeof headers['etag'] === 'string' ? headers['etag'] : undefined;
    return { archive, etag, digest: createHash('sha256').update(archive).digest('hex') };
  };

  const refresh = async (): Promise<Fetched> => {
    try {
      return (latest = await ask());
    } catch (error) {
      throw new SourceAway(`no bundle from ${name}: ${codeOf(error)}`, { cause: error });
    }
  };

  return {
    name,
    isRemote: true,
    read: async () => ({
      bundle: await readBundleEntries((latest ?? (await refresh())).archive),
      overlays: await readOverlays(overlays),
    }),
    readOverlays: () => readOverlays(overlays),
    fingerprint: async () => `${(await refresh()).digest}\n${await printFiles(overlays)}`,
  };
}

// Without the query, which may contain a signature.
function nameOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

async function bodyOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the bundle is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : 'error';
}
