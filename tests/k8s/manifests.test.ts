import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../support/paths.js';
import { edgesProblems } from './rules/edges.js';
import { environmentProblems } from './rules/environment.js';
import { namespaceProblems } from './rules/namespace.js';
import { podSecurityProblems } from './rules/pod-security.js';
import { portProblems } from './rules/ports.js';
import { referenceProblems } from './rules/references.js';
import { fewestOf, scalingProblems } from './rules/scaling.js';
import { workloadProblems } from './rules/workloads.js';
import { installation, installations } from './support/builds.js';
import { environmentsIn, environmentsInCompose } from './support/environments.js';
import { workloadsOf } from './support/objects.js';

const fewest = (name: string): Record<string, number> =>
  Object.fromEntries(
    workloadsOf(installation(name)).map((workload) => [
      workload.metadata.name,
      fewestOf(workload, installation(name)),
    ]),
  );

describe.each(installations)('k8s/$name', ({ objects }) => {
  it('has only pods that the restricted standard takes', () => {
    expect(podSecurityProblems(objects)).toEqual([]);
  });

  it('names every port, probes at the admin ports, and has Services that lead somewhere', () => {
    expect(portProblems(objects)).toEqual([]);
  });

  it('runs every part under its own name and account, and stops and replaces it gently', () => {
    expect(workloadProblems(objects)).toEqual([]);
  });

  it('lets autoscalers scale and nodes be drained', () => {
    expect(scalingProblems(objects)).toEqual([]);
  });

  it('needs no Secret or ConfigMap that the README does not say to make, and has none in an environment', () => {
    expect(referenceProblems(objects)).toEqual([]);
  });

  it('lets through the calls that are configured, and no others', () => {
    expect(edgesProblems(objects)).toEqual([]);
  });

  it('denies by default, in a namespace that enforces the restricted standard', () => {
    expect(namespaceProblems(objects)).toEqual([]);
  });

  it('sets each variable once, none that its part does not know, and all that it needs', () => {
    const environments = environmentsIn(objects);
    expect(environments.map(({ where }) => where).sort()).toEqual([
      'allocation',
      'compute',
      'conductor',
      'gateway',
      'inventory',
      'inventory/migrate',
      'pdp',
    ]);
    expect(environments.flatMap(environmentProblems)).toEqual([]);
  });
});

describe('the overlays', () => {
  it('have three gateways and PDPs and two of the others in production', () => {
    expect(fewest('overlays/production')).toEqual({
      gateway: 3,
      pdp: 3,
      inventory: 2,
      conductor: 2,
      allocation: 2,
      compute: 2,
    });
  });

  it('have one of each in development', () => {
    expect(fewest('overlays/dev')).toEqual({
      gateway: 1,
      pdp: 1,
      inventory: 1,
      conductor: 1,
      allocation: 1,
      compute: 1,
    });
  });
});

const composeFile = path.join(root, 'compose.yaml');

if (existsSync(composeFile))
  describe('compose.yaml', () => {
    const environments = environmentsInCompose(readFileSync(composeFile, 'utf8'));

    it('runs every part', () => {
      const own = environments.filter(({ isOwn }) => isOwn).map(({ part }) => part);
      expect(own.sort()).toEqual([
        'allocation',
        'compute',
        'conductor',
        'gateway',
        'inventory',
        'pdp',
      ]);
    });

    it('sets each variable once, none that its part does not know, and all that it needs', () => {
      expect(environments.flatMap(environmentProblems)).toEqual([]);
    });
  });
