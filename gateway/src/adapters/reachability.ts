import { type Readiness } from '@tenure/process';
import { request } from 'undici';

export interface Reachability {
  readonly readiness: () => Readiness;
  readonly stop: () => void;
}

const PROBE_EVERY_MS = 2000;
const PROBE_DEADLINE_MS = 1000;
/** Milliseconds after its last answer for which a part counts as reachable. */
const RECENT_MS = 5000;

/** Watches the parts that every request needs. */
export function watchReachability(parts: Readonly<Record<string, string>>): Reachability {
  const lastSeen = new Map<string, number>();
  const probe = async (): Promise<void> => {
    await Promise.all(
      Object.entries(parts).map(async ([name, url]) => {
        if (await answers(url)) lastSeen.set(name, performance.now());
      }),
    );
  };
  void probe();
  const timer = setInterval(() => {
    void probe();
  }, PROBE_EVERY_MS);
  timer.unref();
  return {
    readiness: () => {
      const limit = performance.now() - RECENT_MS;
      const missing = Object.keys(parts).filter(
        (name) => (lastSeen.get(name) ?? -Infinity) < limit,
      );
      return missing.length === 0
        ? { ready: true, reason: 'ready' }
        : { ready: false, reason: `not reachable: ${missing.join(', ')}` };
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

// Any answer below 500 counts: the parts refuse a call without a context, but they are reachable.
async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.timeout(PROBE_DEADLINE_MS),
    });
    await body.dump();
    return statusCode < 500;
  } catch {
    return false;
  }
}
