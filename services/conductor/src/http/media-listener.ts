import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createLimiter, type Limiter, type Logger } from '@tenure/process';
import { type MediaMetrics } from '../application/metrics.js';
import { type ByteSource } from '../domain/boot-iso/byte-source.js';
import { type BootMedium, bootMediumIn, withoutBootKeys } from '../domain/boot-key.js';
import { byteRangeIn } from '../domain/byte-range.js';

interface Medium {
  readonly image: ByteSource;
  readonly id: string;
}

export interface MediaListenerOptions {
  /** The medium as long as its boot counts; undefined otherwise. */
  readonly find: (medium: BootMedium) => Promise<Medium | undefined>;
  readonly logger: Logger;
  readonly metrics: MediaMetrics;
  readonly limits?: MediaLimits;
}

export interface MediaLimits {
  /** Milliseconds for which a valid boot is not checked again: machines read in many small pieces. */
  readonly trustMs: number;
  /** Milliseconds after which a machine that takes nothing is given up. */
  readonly stallMs: number;
  /** Media that are looked up at the same time: those who ask prove nothing before. */
  readonly lookups: number;
  /** Answers that are under way at the same time. */
  readonly streams: number;
}

export const MEDIA_LIMITS: MediaLimits = {
  trustMs: 1000,
  stallMs: 60_000,
  lookups: 64,
  streams: 512,
};

const PIECE = 256 * 1024;
const RETRY_SECONDS = 5;
const MAX_TRUSTED = 4096;

/** Too much is under way. */
class Busy extends Error {}

/** Limits concurrent work; requests above the limit are refused, not queued. */
const limiterOf = (atOnce: number): Limiter =>
  createLimiter({ atOnce, waiting: 0, refusal: () => new Busy() });

/** The boot of a medium ended while the medium was read. */
class Ended extends Error {}

interface Trusted {
  readonly medium: Medium;
  readonly until: number;
}

/** Finds media, and caches them for a moment. */
class Finder {
  readonly #options: MediaListenerOptions;
  readonly #limits: MediaLimits;
  readonly #trusted = new Map<string, Trusted>();
  readonly #lookups: Limiter;

  constructor(options: MediaListenerOptions, limits: MediaLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#lookups = limiterOf(limits.lookups);
  }

  /** @throws Busy, or what the lookup throws */
  async find(boot: BootMedium): Promise<Medium | undefined> {
    const name = `${boot.uuid} ${boot.key}`;
    const trusted = this.#trusted.get(name);
    if (trusted !== undefined && performance.now() < trusted.until) return trusted.medium;
    this.#trusted.delete(name);
    return this.#lookups.run(async () => {
      const medium = await this.#options.find(boot);
      if (medium !== undefined) this.#trust(name, medium);
      return medium;
    });
  }

  #trust(name: string, medium: Medium): void {
    this.#trusted.set(name, { medium, until: performance.now() + this.#limits.trustMs });
    const [oldest] = this.#trusted.keys();
    if (this.#trusted.size > MAX_TRUSTED && oldest !== undefined) this.#trusted.delete(oldest);
  }
}

interface Answer {
  readonly status: 200 | 206;
  readonly first: number;
  /** One more than the last byte. */
  readonly end: number;
  readonly headers: Record<string, string>;
}

/** Sends media, a limited number at a time. */
class Sender {
  readonly #finder: Finder;
  readonly #limits: MediaLimits;
  readonly #metrics: MediaMetrics;
  readonly #streams: Limiter;

  constructor(finder: Finder, limits: MediaLimits, metrics: MediaMetrics) {
    this.#finder = finder;
    this.#limits = limits;
    this.#metrics = metrics;
    this.#streams = limiterOf(limits.streams);
  }

  async *#pieces(boot: BootMedium, { image, id }: Medium, { first, end: stop }: Answer) {
    for (let at = first; at < stop;) {
      // A boot that ends meanwhile takes its medium with it.
      const now = await this.#finder.find(boot);
      if (now?.id !== id) throw new Ended();
      const piece = await image.read(at, Math.min(PIECE, stop - at));
      if (piece.length === 0) throw new Error('the image is shorter than it was');
      this.#metrics.sent(piece.length);
      yield piece;
      at += piece.length;
    }
  }

  async send(
    boot: BootMedium,
    medium: Medium,
    answer: Answer,
    response: ServerResponse,
  ): Promise<void> {
    await this.#streams.run(async () => {
      response.setTimeout(this.#limits.stallMs, () => {
        response.destroy();
      });
      response.writeHead(answer.status, answer.headers);
      const pieces = this.#pieces(boot, medium, answer);
      await pipeline(Readable.from(pieces, { objectMode: false }), response);
    });
  }
}

/**
 * Serves the media of boots to machines, and nothing else: neither the caller nor its address matters, only whether the URL is
 * that of a valid boot.
 */
export function createMediaHandler(options: MediaListenerOptions): RequestListener {
  const { logger, metrics, limits = MEDIA_LIMITS } = options;
  const finder = new Finder(options, limits);
  const sender = new Sender(finder, limits, metrics);

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request;
    const boot = ['GET', 'HEAD'].includes(method) ? bootMediumIn(url) : undefined;
    const medium = boot === undefined ? undefined : await finder.find(boot);
    if (boot === undefined || medium === undefined) {
      end(response, 404);
      return;
    }
    const answer = answerFor(request, medium);
    if (answer === undefined)
      end(response, 416, { 'content-range': `bytes */${String(medium.image.size)}` });
    else if (method === 'HEAD') response.writeHead(200, answer.headers).end();
    else await sender.send(boot, medium, answer, response);
  };

  const failed = (error: unknown, place: string, response: ServerResponse): void => {
    if (response.headersSent || response.destroyed) {
      // Also a machine that stopped reading: nothing is wrong with that.
      if (error instanceof Ended) logger.info({ place }, 'a medium ended while it was read');
      response.destroy();
      return;
    }
    if (!(error instanceof Busy)) logger.warn({ place, err: error }, 'a medium was not found');
    end(response, 503, { 'retry-after': String(RETRY_SECONDS) });
  };

  return (request, response) => {
    const place = withoutBootKeys(request.url ?? '').slice(0, 200);
    response.once('finish', () => {
      metrics.answered(response.statusCode);
      logger.debug({ method: request.method, place, status: response.statusCode }, 'medium');
    });
    handle(request, response).catch((error: unknown) => {
      failed(error, place, response);
    });
  };
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-length': '0', 'cache-control': 'no-store', ...headers });
  response.end();
}

/** The range of the medium to send; undefined when the requested range has no byte of it. */
function answerFor(
  { method, headers }: IncomingMessage,
  { image, id }: Medium,
): Answer | undefined {
  const { size } = image;
  const common = {
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-type': 'application/octet-stream',
    etag: `"${id}"`,
  };
  const condition = headers['if-range'];
  const isRangeValid = method === 'GET' && (condition === undefined || condition === `"${id}"`);
  const range = isRangeValid ? byteRangeIn(headers.range, size) : 'whole';
  if (range === 'none') return undefined;
  if (range === 'whole')
    return {
      status: 200,
      first: 0,
      end: size,
      headers: { ...common, 'content-length': String(size) },
    };
  const { first, last } = range;
  return {
    status: 206,
    first,
    end: last + 1,
    headers: {
      ...common,
      'content-length': String(last + 1 - first),
      'content-range': `bytes ${String(first)}-${String(last)}/${String(size)}`,
    },
  };
}
