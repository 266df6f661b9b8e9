import { createHash, randomUUID } from 'node:crypto';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { matches } from '@tenure/contracts';
import { untilAborted } from '@tenure/http';
import { createLimiter, type Deadline, remainingMs } from '@tenure/process';
import { type ByteSource } from '../../domain/boot-iso/byte-source.js';
import { type DownloadOptions, downloadImage, type Validators } from './image-download.js';
import { notFetched, notKept } from './image-problem.js';

export interface ImageCacheOptions extends DownloadOptions {
  /** Created when it is not there. */
  readonly directory: string;
  /** Bytes that images may take on the disk together; the newest is kept in any case. */
  readonly cacheBytes: number;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  readonly observe: (outcome: 'failed' | 'fetched' | 'unchanged') => void;
}

/** Images as their servers had them, on the disk, by their content. */
export interface ImageCache {
  /** See `BootMedia.fetch`. */
  readonly fetch: (image: string, deadline: Deadline) => Promise<string>;
  /**
   * The image with this content.
   * @param image where it is fetched from when it is not here any more
   * @returns undefined when its server has another by now
   */
  readonly open: (
    digest: string,
    image: string,
    deadline: Deadline,
  ) => Promise<ByteSource | undefined>;
}

const CacheRecord = Type.Object({
  digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  etag: Type.Optional(Type.String()),
  last_modified: Type.Optional(Type.String()),
});
type CacheRecord = Static<typeof CacheRecord>;

const NOTHING: Validators = { etag: undefined, lastModified: undefined };
/** Milliseconds that one image may take; what a caller is given is less or more than that. */
const FETCH_MS = 1_200_000;
/** Downloads at the same time: images are large. */
const AT_ONCE = 2;
/** Milliseconds after which the file of an abandoned download may be removed. */
const LEFT_MS = 3_600_000;

const isOld = (changedMs: number): boolean => Date.now() - changedMs > LEFT_MS;

const sourceOf = (file: string, size: number): ByteSource => ({
  size,
  // Opened for each piece, so that no file stays open for a machine that never reads on.
  read: async (at, length) => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)));
    const handle = await open(file, 'r');
    try {
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, at + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return bytes.subarray(0, done);
    } finally {
      await handle.close();
    }
  },
});

class DiskImageCache implements ImageCache {
  readonly #options: ImageCacheOptions;
  /** Downloads of this process: no clock makes them old. */
  readonly #written = new Set<string>();
  /** By address: boots that need the same image wait for the same download. */
  readonly #underWay = new Map<string, Promise<string>>();
  readonly #downloads = createLimiter({ atOnce: AT_ONCE });

  constructor(options: ImageCacheOptions) {
    this.#options = options;
  }

  #file(name: string): string {
    return path.join(this.#options.directory, name);
  }

  #imageFile(digest: string): string {
    return this.#file(`${digest}.iso`);
  }

  #recordFile(image: string): string {
    return this.#file(`${createHash('sha256').update(image).digest('hex')}.json`);
  }

  readonly fetch = async (image: string, deadline: Deadline): Promise<string> => {
    const running = this.#underWay.get(image) ?? this.#begin(image);
    const signal = AbortSignal.any([
      deadline.signal,
      AbortSignal.timeout(Math.max(1, Math.ceil(remainingMs(deadline)))),
    ]);
    try {
      return await untilAborted(running, signal);
    } catch (error) {
      if (deadline.signal.aborted) throw error;
      throw notFetched(error);
    }
  };

  readonly open: ImageCache['open'] = async (digest, image, deadline) => {
    const found = await this.#opened(digest);
    if (found !== undefined) return found;
    return (await this.fetch(image, deadline)) === digest ? this.#opened(digest) : undefined;
  };

  async #opened(digest: string): Promise<ByteSource | undefined> {
    const file = this.#imageFile(digest);
    const found = await stat(file).catch(() => undefined);
    if (found === undefined) return undefined;
    const now = new Date();
    await utimes(file, now, now).catch(() => undefined);
    return sourceOf(file, found.size);
  }

  #begin(image: string): Promise<string> {
    const running = this.#downloads
      .run(() => this.#fetched(image))
      .finally(() => {
        this.#underWay.delete(image);
      });
    // The callers that wait get the error; without callers it must not be an unhandled rejection.
    running.catch(() => undefined);
    this.#underWay.set(image, running);
    return running;
  }

  async #fetched(image: string): Promise<string> {
    const { observe, stopping } = this.#options;
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(FETCH_MS)]);
      return await this.#brought(image, signal);
    } catch (error) {
      observe('failed');
      throw error;
    }
  }

  async #brought(image: string, signal: AbortSignal): Promise<string> {
    const { directory, observe } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await assertOwn(directory);
    const cached = await this.#cached(image);
    const validators =
      cached === undefined ? NOTHING : { etag: cached.etag, lastModified: cached.last_modified };
    const file = this.#file(`${randomUUID()}.part`);
    this.#written.add(file);
    try {
      const made = await downloadImage({ image, file, cached: validators }, this.#options, signal);
      if (made === undefined && cached !== undefined) {
        observe('unchanged');
        return cached.digest;
      }
      if (made === undefined) throw new Error('an answer without a question');
      await rename(file, this.#imageFile(made.digest));
      await this.#remember(image, {
        digest: made.digest,
        ...(made.etag !== undefined && { etag: made.etag }),
        ...(made.lastModified !== undefined && { last_modified: made.lastModified }),
      });
      observe('fetched');
      await this.#evict(made.digest);
      return made.digest;
    } finally {
      this.#written.delete(file);
      await rm(file, { force: true });
    }
  }

  /** The cache record of an image, if the image is still in the cache. */
  async #cached(image: string): Promise<CacheRecord | undefined> {
    try {
      const cached: unknown = JSON.parse(await readFile(this.#recordFile(image), 'utf8'));
      if (!matches(CacheRecord, cached)) return undefined;
      return (await this.#opened(cached.digest)) === undefined ? undefined : cached;
    } catch {
      return undefined;
    }
  }

  async #remember(image: string, record: CacheRecord): Promise<void> {
    const file = this.#file(`${randomUUID()}.part`);
    await writeFile(file, JSON.stringify(record), { mode: 0o600 });
    await rename(file, this.#recordFile(image));
  }

  /** Removes what was not used for longest, until the rest is no more than it may be. */
  async #evict(newest: string): Promise<void> {
    const names = await readdir(this.#options.directory);
    const images: { readonly file: string; readonly bytes: number; readonly usedAt: number }[] = [];
    for (const name of names) {
      const file = this.#file(name);
      const found = await stat(file).catch(() => undefined);
      if (found === undefined) continue;
      if (name.endsWith('.iso')) images.push({ file, bytes: found.size, usedAt: found.mtimeMs });
      else if (name.endsWith('.part') && !this.#written.has(file) && isOld(found.mtimeMs))
        await rm(file, { force: true });
    }
    let total = images.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { file, bytes } of images.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (total <= this.#options.cacheBytes) return;
      if (file === this.#imageFile(newest)) continue;
      await rm(file, { force: true });
      total -= bytes;
    }
  }
}

/** A cache in a directory of its own. */
export const createImageCache = (options: ImageCacheOptions): ImageCache =>
  new DiskImageCache(options);

/** Checks that no other user can write to the directory, and so replace a cached image. */
async function assertOwn(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid !== process.getuid?.() || (mode & 0o002) !== 0) throw notKept();
}
