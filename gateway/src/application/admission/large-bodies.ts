import { type Refusal } from './fair-queue.js';

/** A large body that the gateway reads. */
export interface LargeBody {
  /** Called when its request has ended. */
  readonly ended: () => void;
}

/** Limits the number of large bodies, because each occupies memory from its first byte to the end of its request. */
export interface LargeBodies {
  /** @param announced Content-Length in bytes; undefined without one */
  readonly admit: (tenant: string, announced: number | undefined) => LargeBody | Refusal;
}

export interface LargeBodiesOptions {
  /** Maximum of concurrent large bodies of one tenant. */
  readonly maxOwn: number;
  /** Maximum of concurrent large bodies. */
  readonly max: number;
}

/** Bodies above this number of bytes are large. */
const LARGE = 64 * 1024;
const SMALL: LargeBody = { ended: () => undefined };

export function createLargeBodies({ maxOwn, max }: LargeBodiesOptions): LargeBodies {
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
      if (own >= maxOwn) return 'project_limit';
      return all >= max ? 'overload' : take(tenant, own);
    },
  };
}
