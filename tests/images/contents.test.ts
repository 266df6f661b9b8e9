import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../support/paths.js';
import { type Assembled, assembleAll, PARTS, runScript } from './assembled.js';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

interface BillOfMaterials {
  readonly components: readonly Required<Manifest>[];
  readonly metadata: { readonly component: Manifest };
}

const manifestOf = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest; // written by npm

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' });

/** A package's own folder is what Node would find: `node_modules/x` or `node_modules/@s/x`, or a workspace of ours. */
const isManifest = (file: string): boolean =>
  /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/u.test(file) ||
  /^(?:cli|gateway|services\/[^/]+|shared\/[^/]+)\/package\.json$/u.test(file);

function packagesIn(app: string): readonly string[] {
  const found = filesBelow(app)
    .filter(isManifest)
    .map((file) => manifestOf(path.join(app, file)))
    .map(({ name, version }) => `${String(name)}@${String(version)}`);
  return [...new Set(found)].sort();
}

describe('the images', () => {
  let images: Assembled;

  beforeAll(() => {
    images = assembleAll();
  });

  afterAll(() => {
    images.remove();
  });

  it.each(PARTS)('hold of %s exactly the packages of its bill of materials', (part) => {
    const file = path.join(images.directory, `${part}.cdx.json`);
    runScript('sbom.mjs', file, part);
    const text = readFileSync(file, 'utf8');
    const { components, metadata } = JSON.parse(text) as BillOfMaterials; // by npm
    expect(metadata.component.name).toBe(`tenure-${part}`);
    expect(components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
      packagesIn(images.app(part)),
    );
    expect(text).not.toContain(root);
    expect(text).not.toContain(images.directory);
  });

  it.each(PARTS)(
    'hold of %s no sources, no tests, no compiler and nothing of another part',
    (part) => {
      const files = filesBelow(images.app(part));
      expect(files.filter((file) => /\.(?:[cm]?ts|map|tsbuildinfo)$|\.test\./u.test(file))).toEqual(
        [],
      );
      const packages = packagesIn(images.app(part)).map((each) => each.replace(/@[^@]*$/u, ''));
      for (const unwanted of ['typescript', '@typescript/native', 'jest', 'oxlint', 'oxfmt'])
        expect(packages).not.toContain(unwanted);
      const others = PARTS.filter((other) => other !== part).map((other) => `@tenure/${other}`);
      expect(packages.filter((each) => others.includes(each))).toEqual([]);
    },
  );

  it('contain the inventory’s reader thread', () => {
    expect(filesBelow(images.app('inventory'))).toContain(
      'services/inventory/dist/reader-thread.js',
    );
  });

  it('are the targets of the Containerfile, each with what it runs', () => {
    const targets = [
      ...readFileSync(path.join(root, 'Containerfile'), 'utf8').matchAll(
        /^FROM runtime AS (?<target>\S+)\n(?:.*\n)*?COPY --from=build (?<from>\S+) \/app\/\nENTRYPOINT (?<entry>.*)$/gmu,
      ),
    ].map(({ groups }) => [
      groups?.['target'],
      groups?.['from'],
      (JSON.parse(groups?.['entry'] ?? '[]') as readonly string[]).at(-1),
    ]);
    expect(targets).toEqual([
      ['tenure-gateway', '/out/gateway/app/', 'gateway/dist/server.js'],
      ['tenure-pdp', '/out/pdp/app/', 'services/pdp/dist/server.js'],
      ['tenure-inventory', '/out/inventory/app/', 'services/inventory/dist/server.js'],
      ['tenure-conductor', '/out/conductor/app/', 'services/conductor/dist/server.js'],
      ['tenure-allocation', '/out/allocation/app/', 'services/allocation/dist/server.js'],
      ['tenure-compute', '/out/compute/app/', 'services/compute/dist/server.js'],
      ['tenure-cli', '/out/cli/app/', 'cli/bin/tenure.js'],
    ]);
  });
});
