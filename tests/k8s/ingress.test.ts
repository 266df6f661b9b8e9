import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../gateway/src/config.js';
import { BODY } from '../../gateway/src/routes/body-kinds.js';
import { LISTENER_LIMITS } from '../../shared/http/src/index.js';
import { cache, root } from '../support/paths.js';
import { installation, installations, objectsIn } from './support/builds.js';
import { environmentsIn } from './support/environments.js';
import { type KubeObject, ofKind } from './support/objects.js';

// A proxy in front of the gateway leaves refusals to it: its limits are wider than the gateway's, and it closes first.

const MEBIBYTE = 1024 * 1024;
const largestBody = Math.max(...Object.values(BODY).map(({ limit }) => limit));
const longestAnswerSeconds = VARIABLES.requestDeadlineMs.fallback / 1000;

const amount = (text: string | undefined): number => Number(/^\d+/u.exec(text ?? '')?.[0]);

describe('the Ingress for ingress-nginx', () => {
  const [ingress] = ofKind(installation('overlays/production'), 'Ingress');
  const of = (name: string): string | undefined =>
    ingress?.metadata.annotations?.[`nginx.ingress.kubernetes.io/${name}`];

  it('lets bodies through that the gateway takes, and those that it refuses with an answer', () => {
    expect(of('proxy-body-size')).toBe('8m');
    expect(8 * MEBIBYTE).toBeGreaterThanOrEqual(2 * largestBody);
  });

  it('waits for as long as the gateway may take to answer', () => {
    expect(amount(of('proxy-read-timeout'))).toBeGreaterThan(longestAnswerSeconds);
    expect(amount(of('proxy-send-timeout'))).toBeGreaterThan(longestAnswerSeconds);
  });

  it('sends nothing twice, and keeps nothing on a disk', () => {
    expect([
      of('proxy-next-upstream'),
      of('proxy-request-buffering'),
      of('proxy-buffering'),
    ]).toEqual(['off', 'off', 'off']);
  });

  it('changes no path', () => {
    expect([of('rewrite-target'), of('use-regex'), of('configuration-snippet')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the routes of agents', () => {
  const published = ({ objects }: (typeof installations)[number]): readonly string[] =>
    ofKind(objects, 'Ingress')
      .flatMap(({ spec }) => spec.rules)
      .flatMap(({ http }) => http.paths)
      .map(({ backend: { service } }) => `${service.name} ${service.port.name}`);

  it.each(installations)('have a port of their own in k8s/$name', ({ objects }) => {
    const own = environmentsIn(objects).find(({ where }) => where === 'gateway');
    expect(own?.variables).toContainEqual(['GATEWAY_AGENT_PORT', '6388']);
  });

  it('are published by no Ingress', () => {
    const backends = installations.flatMap(published);
    expect(backends).toContain('gateway http');
    expect(backends.filter((backend) => backend.includes('agents'))).toEqual([]);
  });

  it('are reached in production from the networks of machines alone, which they see', () => {
    const service = ofKind(installation('overlays/production'), 'Service').find(
      ({ metadata }) => metadata.name === 'gateway-agents',
    );
    expect(service?.spec).toMatchObject({
      type: 'LoadBalancer',
      loadBalancerSourceRanges: ['192.0.2.128/25'],
      externalTrafficPolicy: 'Local',
      ports: [{ name: 'agents', port: 6388 }],
    });
  });
});

describe('whoever is behind an ingress', () => {
  it.each([
    ['gateway', 'gateway-from-ingress', 'GATEWAY_TRUSTED_PROXIES'],
    ['pdp', 'console-from-ingress', 'PDP_TRUSTED_PROXIES'],
  ])('has an address of its own at the %s', (part, policy, variable) => {
    const reached = installations.filter(({ objects }) =>
      ofKind(objects, 'NetworkPolicy').some(({ metadata }) => metadata.name === policy),
    );
    expect(reached).not.toEqual([]);
    for (const { name, objects } of reached) {
      const own = environmentsIn(objects).find(({ where }) => where === part);
      const values = new Map(own?.variables);
      expect([name, values.get(variable)]).toEqual([
        name,
        expect.stringMatching(/^[0-9.]+\/[0-9]+$/u),
      ]);
      // The limit of one client is below that of all of them.
      expect(values.has('GATEWAY_NEW_TOKENS_PER_ADDRESS')).toBe(false);
      expect(values.has('GATEWAY_FAILED_TOKENS_PER_MINUTE')).toBe(false);
    }
  });
});

describe('the settings of the ingress-nginx controller', () => {
  const built = execFileSync(
    path.join(cache, 'k8s-tools', 'bin', 'kustomize'),
    ['build', path.join(root, 'k8s/examples/ingress-nginx')],
    { encoding: 'utf8' },
  );
  const [settings] = ofKind(objectsIn(built), 'ConfigMap');
  const data = settings?.data ?? {};

  it('let a header through that is as long as all of them may be at the gateway', () => {
    expect(data['large-client-header-buffers']).toBe('4 16k');
    expect(LISTENER_LIMITS.maxHeaderSize).toBe(16 * 1024);
  });

  it('write X-Forwarded-For anew, whatever came under that name', () => {
    expect(data['use-forwarded-headers']).toBe('false');
  });

  it('close an idle connection before the gateway does', () => {
    expect(amount(data['upstream-keepalive-timeout']) * 1000).toBeLessThan(
      LISTENER_LIMITS.keepAliveTimeout ?? 0,
    );
  });
});

describe('the route of the Gateway API', () => {
  // A kind that the rules do not read.
  type Route = KubeObject & {
    readonly spec: { readonly rules: readonly Readonly<Record<string, unknown>>[] };
  };
  const isRoute = (object: KubeObject): object is Route => object.kind === 'HTTPRoute';
  const [rule, ...others] = installation('examples/gateway-api').find(isRoute)?.spec.rules ?? [];

  it('waits for as long as the gateway may take to answer, sends nothing twice and changes nothing', () => {
    expect(others).toEqual([]);
    expect(rule).toEqual({
      matches: [{ path: { type: 'PathPrefix', value: '/' } }],
      timeouts: { request: '10s', backendRequest: '10s' },
      backendRefs: [{ name: 'gateway', port: 6385 }],
    });
    expect(10).toBeGreaterThan(longestAnswerSeconds);
  });

  it('takes the place of the Ingress', () => {
    expect(ofKind(installation('examples/gateway-api'), 'Ingress')).toEqual([]);
  });
});
