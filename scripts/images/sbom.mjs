// Writes the bill of materials of one part's image, CycloneDX by npm: its packages, exactly those that assemble.mjs puts in.
// Usage: node scripts/images/sbom.mjs FILE PART
// With SOURCE_DATE_EPOCH the same packages make the same file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { closureOf, isInstalled, lockedPackages } from './closure.mjs';
import { partNamed } from './parts.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Only what is needed at run time was followed, so only that is said. */
const entryOf = (entry) =>
  Object.fromEntries(
    Object.entries(entry).filter(([key]) => !['devDependencies', 'peerDependencies'].includes(key)),
  );

const linksOf = (workspaces, packages) =>
  Object.entries(packages).filter(([, entry]) => entry.link && workspaces.includes(entry.resolved));

/**
 * A project, as npm reads it, of nothing but the packages of the image. (`npm sbom --omit dev` on the whole repository leaves out
 * every package that a development tool uses as well.)
 */
const lockFileOf = (manifest, places, packages) => {
  const workspaces = places.filter((place) => !isInstalled(place));
  return {
    name: manifest.name,
    version: manifest.version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { ...manifest, workspaces },
      ...Object.fromEntries(linksOf(workspaces, packages)),
      ...Object.fromEntries(places.map((place) => [place, entryOf(packages[place])])),
    },
  };
};

const write = (folder, name, value) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), JSON.stringify(value));
};

const npmSbom = (folder) => {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
};

/** A number in the form of a UUID that follows from the content, in place of a random one. */
const serialOf = (content) => {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const [a, b, c, d, e] = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return `urn:uuid:${a}-${b}-${c}-${d}-${e}`;
};

const momentOf = (epoch) =>
  (epoch === '' ? new Date() : new Date(Number(epoch) * 1000)).toISOString();

/** npm names what it finds by folder; the reference has the package's own name. */
const named = (component) => ({
  ...component,
  name: component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@')),
});

/**
 * The bill of materials of a part's image.
 * @throws Error when something the part needs is not installed, or npm fails
 */
export const sbomOf = (name) => {
  const { workspace } = partNamed(name);
  const packages = lockedPackages(ROOT);
  const { version, license } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const manifest = { name: `tenure-${name}`, version, license, private: true };
  const lock = lockFileOf(manifest, closureOf(ROOT, workspace), packages);
  const folder = mkdtempSync(path.join(tmpdir(), 'tenure-sbom-'));
  try {
    write(folder, 'package.json', lock.packages['']);
    write(folder, 'package-lock.json', lock);
    for (const place of lock.packages[''].workspaces)
      write(path.join(folder, place), 'package.json', entryOf(packages[place]));
    const said = npmSbom(folder);
    const component = named(said.metadata.component);
    const components = said.components.map(named);
    const timestamp = momentOf(process.env['SOURCE_DATE_EPOCH'] ?? '');
    return {
      ...said,
      serialNumber: serialOf([component, components]),
      metadata: { ...said.metadata, timestamp, component },
      components,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = ([file, name]) => {
  if (file === undefined || name === undefined)
    throw new Error('usage: node scripts/images/sbom.mjs FILE PART');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(sbomOf(name), null, 2)}\n`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
