import { type Refusal } from './fair-queue.js';

/** A large body that may come. */
export interface LargeBody {
  /** Called once its request has ended. */
  readonly ended: () => void;
}

/** Which large bodies are read at all: each takes memory from its first byte to the end of its request. */
export interface LargeBodies {
  /** @param announced bytes; undefined when the sender does not say */
  readonly admit: (tenant: string, announced: number | undefined) => LargeBody | Refusal;
}

export interface LargeBodiesOptions {
  /** Large bodies of one tenant at the same time. */
  readonly maxOwn: number;
  /** Of everybody. */
  readonly max: number;
}

/** Bytes from which on a body is large. */
const LARGE = 64 * 1024;
const SMALL: LargeBody = { ended: () => undefined };

export const createLargeBodies = ({ maxOwn, max }: LargeBodiesOptions): LargeBodies => {
  const ofTenants = new Map<string, number>();
  let all = 0;

  const take = (tenant: string, own: number): LargeBody => {
    let isEnded = false;
    ofTenants.set(tenant, own + 1);
    all += 1;
    return {
      ended: () => {
        if (isEnded) return;
        isEnded = true;
        all -= 1;
        const left = (ofTenants.get(tenant) ?? 1) - 1;
        if (left === 0) ofTenants.delete(tenant);
        else ofTenants.set(tenant, left);
      },
    };
  };

  return {
    admit: (tenant, announced) => {
      if (announced !== undefined && announced <= LARGE) return SMALL;
      const own = ofTenants.get(tenant) ?? 0;
      if (own >= maxOwn) return 'own_share';
      return all >= max ? 'everybody' : take(tenant, own);
    },
  };
};
