import { Counter, Gauge, type Registry } from '@tenure/process';
import { type Upstream } from '../../routes/route.js';
import { type AdaptiveLimit, createAdaptiveLimit } from './adaptive-limit.js';
import { type Admission, createAdmission, refused } from './admission.js';
import { createCostBook } from './cost-book.js';
import { CLASSES, createFairQueue, type FairQueue } from './fair-queue.js';
import { createLargeBodies, type LargeBody } from './large-bodies.js';

/** Settings of the operator. */
export interface AdmissionSettings {
  /** Maximum work in flight at one service, in milliseconds of expected cost. */
  readonly admissionMaxMs: number;
  /** Acceptable waiting time at a service in milliseconds; above it, the gateway sends less. */
  readonly admissionTargetMs: number;
  /** Maximum of queued requests of one project in one class. */
  readonly admissionQueue: number;
  /** Maximum time of a request in the queue, in milliseconds. */
  readonly admissionWaitMs: number;
}

export interface Admissions {
  /** Each service has its own queue: a slow service delays only requests to that service. */
  readonly to: Readonly<Record<Upstream, Admission>>;
  /** @throws AppError 429 or 503, before any byte of the body is read */
  readonly ofBody: (tenant: string, announced: number | undefined) => LargeBody;
}

const UPSTREAMS = ['inventory', 'conductor', 'allocation', 'compute'] as const satisfies Upstream[];
/** Lower bound of the limit, in milliseconds. */
const MIN_MS = 20;
/** Maximum load of the single requests of one tenant in flight at a service, in milliseconds. */
const MAX_OWN_LOAD_MS = 8;
/** Maximum queue length of a class, in multiples of one project's maximum. */
const FULL_LINES = 16;
const LARGE_BODIES = { maxOwn: 4, max: 64 };

/** The queue of one service, and its limit. */
interface ServiceQueue {
  readonly upstream: Upstream;
  readonly limit: AdaptiveLimit;
  readonly queue: FairQueue;
}

/** Creates the admission of each service, with its metrics. */
export function openAdmissions(settings: AdmissionSettings, registry: Registry): Admissions {
  const refusals = new Counter({
    name: 'tenure_gateway_admission_refused_total',
    help: 'Requests refused because a service was busy, with requests of the same project (project_limit) or of all projects (overload).',
    labelNames: ['service', 'class', 'reason'],
    registers: [registry],
  });
  const bodiesRefused = new Counter({
    name: 'tenure_gateway_admission_bodies_refused_total',
    help: 'Large bodies refused unread because too many were being read, of the same project (project_limit) or of all projects (overload).',
    labelNames: ['reason'],
    registers: [registry],
  });
  const queues = {
    inventory: queueOf('inventory', settings),
    conductor: queueOf('conductor', settings),
    allocation: queueOf('allocation', settings),
    compute: queueOf('compute', settings),
  };
  measure(
    registry,
    UPSTREAMS.map((upstream) => queues[upstream]),
  );
  const open = ({ upstream, ...options }: ServiceQueue): Admission =>
    createAdmission({
      ...options,
      costs: createCostBook(),
      onRefused: (requestClass, reason) => {
        refusals.inc({ service: upstream, class: requestClass, reason });
      },
    });
  const bodies = createLargeBodies(LARGE_BODIES);
  return {
    to: {
      inventory: open(queues.inventory),
      conductor: open(queues.conductor),
      allocation: open(queues.allocation),
      compute: open(queues.compute),
    },
    ofBody: (tenant, announced) => {
      const answer = bodies.admit(tenant, announced);
      if (typeof answer !== 'string') return answer;
      bodiesRefused.inc({ reason: answer });
      throw refused(answer);
    },
  };
}

function queueOf(upstream: Upstream, settings: AdmissionSettings): ServiceQueue {
  const limit = createAdaptiveLimit({
    min: MIN_MS,
    max: settings.admissionMaxMs,
    targetMs: settings.admissionTargetMs,
    now,
  });
  const queue = createFairQueue({
    limit: limit.current,
    maxOwnLoad: MAX_OWN_LOAD_MS,
    maxOwn: settings.admissionQueue,
    maxWaiting: settings.admissionQueue * FULL_LINES,
    maxWaitMs: settings.admissionWaitMs,
  });
  return { upstream, limit, queue };
}

function measure(registry: Registry, queues: readonly ServiceQueue[]): void {
  new Gauge({
    name: 'tenure_gateway_admission_limit_ms',
    help: 'Maximum work in flight at a service, in milliseconds of expected cost.',
    labelNames: ['service'],
    registers: [registry],
    collect() {
      for (const { upstream, limit } of queues) this.set({ service: upstream }, limit.current());
    },
  });
  new Gauge({
    name: 'tenure_gateway_admission_in_flight_ms',
    help: 'Work in flight at a service, in milliseconds of expected cost.',
    labelNames: ['service'],
    registers: [registry],
    collect() {
      for (const { upstream, queue } of queues) this.set({ service: upstream }, queue.inFlight());
    },
  });
  new Gauge({
    name: 'tenure_gateway_admission_waiting_requests',
    help: 'Requests in the queue of a service, by class.',
    labelNames: ['service', 'class'],
    registers: [registry],
    collect() {
      for (const { upstream, queue } of queues)
        for (const requestClass of CLASSES)
          this.set({ service: upstream, class: requestClass }, queue.waiting()[requestClass]);
    },
  });
}

const now = (): number => performance.now();
