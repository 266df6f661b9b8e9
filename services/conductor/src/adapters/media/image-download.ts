import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import {
  agentUrlIn,
  guardedLookup,
  hostOf,
  literalIn,
  type PlaceGuard,
  portOf,
  untilAborted,
} from '@tenure/http';
import { Agent, request } from 'undici';
import { malformedImage } from '../../domain/boot-iso/iso-problem.js';
import { imageParts } from '../../domain/virtual-media.js';
import { forbidden, fromStatus, tooLarge } from './image-problem.js';

/** HTTP validators of the fetched image, for a conditional request that finds out whether it has changed. */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** Which image, and where to. */
export interface Download {
  readonly image: string;
  /** Is created. */
  readonly file: string;
  /** Of the image that is here already. */
  readonly cached: Validators;
}

export interface DownloadOptions {
  readonly guard: PlaceGuard;
  readonly maxBytes: number;
  /** Milliseconds until a connection, until the head of an answer, and between two pieces of its body. */
  readonly limits: DownloadLimits;
}

export interface DownloadLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly stallMs: number;
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  stallMs: 60_000,
};

export interface Downloaded extends Validators {
  /** SHA-256, hexadecimal. */
  readonly digest: string;
}

const MAX_REDIRECTS = 3;
/** Where the first volume descriptor of an ISO 9660 image has its mark. */
const MARK_AT = 32_769;
const MARK = 'CD001';

type Answer = Awaited<ReturnType<typeof request>>;

/**
 * Fetches an image into a file.
 * @returns undefined when the image that is here already is still the one
 * @throws DriverFailure, or an error of the HTTP client
 */
export async function downloadImage(
  { image, file, cached }: Download,
  { guard, maxBytes, limits }: DownloadOptions,
  signal: AbortSignal,
): Promise<Downloaded | undefined> {
  if (!isAllowed(imageParts(image).address, guard)) throw forbidden();
  const port = portOf(new URL(imageParts(image).address));
  const lookup = guardedLookup((at) => guard(at, port));
  const dispatcher = new Agent({
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.stallMs,
    connect: { timeout: limits.connectMs, lookup },
  });
  try {
    const answer = await answerFor(image, cached, dispatcher, signal);
    if (answer.statusCode === 304) return undefined;
    if (answer.statusCode !== 200) throw fromStatus(answer.statusCode);
    if (Number(headerOf(answer, 'content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const digest = await keep(answer, file, maxBytes);
    return {
      digest,
      etag: headerOf(answer, 'etag'),
      lastModified: headerOf(answer, 'last-modified'),
    };
  } finally {
    await dispatcher.destroy();
  }
}

/** Whether an image may be fetched from an address; a name is judged when it is resolved. */
function isAllowed(address: string, guard: PlaceGuard): boolean {
  const url = agentUrlIn(address);
  const literal = url === undefined ? undefined : literalIn(hostOf(url));
  return url !== undefined && (literal === undefined || guard(literal, portOf(url)));
}

/** The answer for the image, after redirects that stay on its server. */
async function answerFor(
  image: string,
  { etag, lastModified }: Validators,
  dispatcher: Agent,
  signal: AbortSignal,
): Promise<Answer> {
  const { origin } = new URL(image);
  let { address } = imageParts(image);
  for (let redirects = 0; ; redirects += 1) {
    const answering = request(address, {
      dispatcher,
      signal,
      headers: {
        accept: '*/*',
        'accept-encoding': 'identity',
        ...authorizationOf(image),
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
      },
    });
    const answer = await untilAborted(answering, signal);
    if (![301, 302, 303, 307, 308].includes(answer.statusCode)) return answer;
    await answer.body.dump({ limit: 65_536 });
    const next = URL.parse(headerOf(answer, 'location') ?? '', address);
    if (next?.origin !== origin || redirects === MAX_REDIRECTS) throw fromStatus(answer.statusCode);
    address = next.href;
  }
}

function headerOf({ headers }: Answer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' && value.length <= 1024 ? value : undefined;
}

/** Writes the body into a file; it is given up as soon as it is too large, or seen to be no ISO 9660 image. */
async function keep(answer: Answer, file: string, maxBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file, 'wx', 0o600);
  try {
    let bytes = 0;
    let start = Buffer.alloc(0);
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (start.length < MARK_AT + MARK.length) {
        start = Buffer.concat([start, piece]);
        const isThere = start.length >= MARK_AT + MARK.length;
        if (isThere && start.toString('latin1', MARK_AT, MARK_AT + MARK.length) !== MARK)
          throw malformedImage();
      }
      hash.update(piece);
      await handle.write(piece);
    }
    if (bytes < MARK_AT + MARK.length) throw malformedImage();
    await handle.sync();
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

function authorizationOf(image: string): Readonly<Record<string, string>> {
  const { username, password } = imageParts(image);
  if (username === undefined) return {};
  const pair = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}
