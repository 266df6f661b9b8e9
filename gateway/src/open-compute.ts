import { createJsonHttp, type ServiceSession } from '@tenure/http';
import { type ObserveDependency } from '@tenure/process';
import { createNovaTenancy } from './adapters/server-tenancy-nova.js';
import { type Authorizer } from './application/decisions/authorizer.js';
import { onlyWhatNovaKeeps } from './application/decisions/nova-obligations.js';
import { COMPUTE, NOVA } from './dialects/compute.js';
import { type Dialect } from './dialects/dialect.js';
import { type Destination } from './http/forward/forwarder.js';
import { type TenancySource } from './ports/tenancy-source.js';

/** Who serves the compute API: a service of ours, or a Nova that is not part of Tenure. */
export interface ComputeUpstream {
  readonly destination: Destination;
  readonly dialect: Dialect;
  /** Where tenancy is looked up, given where our own things are. */
  readonly tenancies: (ours: TenancySource) => TenancySource;
  readonly authorizer: (plain: Authorizer) => Authorizer;
  readonly close: () => Promise<void>;
}

export interface NovaOptions {
  /** With or without `/v2.1`. */
  readonly url: string;
  readonly session: ServiceSession;
  /** Milliseconds in which Nova must say whose a server is. */
  readonly deadlineMs: number;
  readonly observe?: ObserveDependency | undefined;
}

/** @param url of our compute service, without a slash at the end */
export const ownCompute = (url: string): ComputeUpstream => ({
  destination: { url, isOurs: true },
  dialect: COMPUTE,
  tenancies: (ours) => ours,
  authorizer: (plain) => plain,
  close: () => Promise.resolve(),
});

/** A real Nova: asked whose its servers are before anything reaches it. */
export function realNova({ url, session, deadlineMs, observe }: NovaOptions): ComputeUpstream {
  const baseUrl = url.replace(/\/$/u, '').replace(/\/v2\.1$/u, '');
  const http = createJsonHttp({ service: 'Nova', baseUrl, deadlineMs, observe });
  return {
    destination: { url: baseUrl, isOurs: false },
    dialect: NOVA,
    tenancies: (ours) => createNovaTenancy(ours, { http, session, deadlineMs }),
    authorizer: onlyWhatNovaKeeps,
    close: http.close,
  };
}
