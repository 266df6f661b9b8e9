import { createJsonHttp, type ServiceSession } from '@tenure/http';
import { type ObserveDependency } from '@tenure/process';
import { createNovaTenancy } from './adapters/server-tenancy-nova.js';
import { type Authorizer } from './application/decisions/authorizer.js';
import { denyUnenforceable } from './application/decisions/nova-obligations.js';
import { COMPUTE, NOVA } from './dialects/compute.js';
import { type Dialect } from './dialects/dialect.js';
import { type Destination } from './http/forward/forwarder.js';
import { type TenancySource } from './ports/tenancy-source.js';

/** The service behind the compute API: Tenure's own, or a real Nova. */
export interface ComputeUpstream {
  readonly destination: Destination;
  readonly dialect: Dialect;
  /** The tenancy source that also covers servers, given the one for all other resources. */
  readonly tenancies: (ours: TenancySource) => TenancySource;
  readonly authorizer: (plain: Authorizer) => Authorizer;
  readonly close: () => Promise<void>;
}

export interface NovaOptions {
  /** With or without `/v2.1`. */
  readonly url: string;
  readonly session: ServiceSession;
  /** Milliseconds for a look-up of a server in Nova. */
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

/** A real Nova. The gateway looks up project and user of a server there before it forwards a request. */
export function realNova({ url, session, deadlineMs, observe }: NovaOptions): ComputeUpstream {
  const baseUrl = url.replace(/\/$/u, '').replace(/\/v2\.1$/u, '');
  const http = createJsonHttp({ service: 'Nova', baseUrl, deadlineMs, observe });
  return {
    destination: { url: baseUrl, isOurs: false },
    dialect: NOVA,
    tenancies: (ours) => createNovaTenancy(ours, { http, session, deadlineMs }),
    authorizer: denyUnenforceable,
    close: http.close,
  };
}
