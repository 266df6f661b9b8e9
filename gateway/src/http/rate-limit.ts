import { AppError, type Subject } from '@tenure/contracts';
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  filledAt: number;
}

const MAX_IDENTITIES = 20_000;

const tooMany = (): AppError =>
  new AppError('too_many_requests', 429, 'Too many requests; try again shortly.', {
    headers: { 'Retry-After': '1' },
  });

/**
 * A token bucket for each key, holding one second's worth. The least recently seen are forgotten.
 * @param perSecond requests per second that one key may make
 * @param now milliseconds of a clock that never goes back
 * @returns a check that throws AppError 429 when the key has used up its share
 */
export const createKeyLimit = (
  perSecond: number,
  now: () => number = () => performance.now(),
): ((key: string) => void) => {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_IDENTITIES });
  return (key) => {
    const time = now();
    let bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, (bucket = { tokens: perSecond, filledAt: time }));
    bucket.tokens = Math.min(
      perSecond,
      bucket.tokens + ((time - bucket.filledAt) / 1000) * perSecond,
    );
    bucket.filledAt = time;
    if (bucket.tokens < 1) throw tooMany();
    bucket.tokens -= 1;
  };
};

/** The same for each user in each project. */
export const createRateLimit = (
  perSecond: number,
  now?: () => number,
): ((subject: Subject) => void) => {
  const check = createKeyLimit(perSecond, now);
  return ({ user_id, project_id }) => {
    check(JSON.stringify([user_id, project_id]));
  };
};
