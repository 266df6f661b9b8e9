// Which packages a workspace needs at run time, read from package-lock.json as Node would find them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The packages of the lock file: path from the repository's root → entry. */
export const lockedPackages = (root) =>
  JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;

/** Folders in which Node looks for a package that a module at `from` imports, the nearest first. */
const lookups = (from, name) => {
  const places = [];
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    if (!at.endsWith('node_modules')) places.push(path.posix.join(at, 'node_modules', name));
    if (at === '') return places;
  }
};

const resolve = (packages, from, name) => {
  const place = lookups(from, name).find((each) => packages[each] !== undefined);
  if (place === undefined) return undefined;
  return packages[place].link === true ? packages[place].resolved : place;
};

/**
 * Every package that the workspace needs in production: itself, the other workspaces, and what npm installed for them, as
 * sorted paths from the root. Peers are not followed: whoever needs one at run time names it (`redfish-client` asks for a
 * compiler only for its types). Optional packages count when they are installed on this platform.
 * @throws Error when a package that is needed is not in the lock file, or not installed
 */
export const closureOf = (root, workspace) => {
  const packages = lockedPackages(root);
  const found = new Set();
  const visit = (place) => {
    if (found.has(place)) return;
    found.add(place);
    const { dependencies = {}, optionalDependencies = {} } = packages[place];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = resolve(packages, place, name);
      const isThere = next !== undefined && existsSync(path.join(root, next, 'package.json'));
      if (isThere) visit(next);
      else if (optionalDependencies[name] === undefined)
        throw new Error(`${name}, which ${place} needs, is not installed`);
    }
  };
  visit(workspace);
  return [...found].sort();
};

/** Whether npm installed what is at this path; otherwise it is a workspace of ours. */
export const isInstalled = (place) => place.includes('node_modules/');
