import { type Resource } from './bmc-client.js';
import { idOf, linksOf, objectOf, textOf } from './json.js';

/** One piece of software of the BMC's inventory. */
export interface Software {
  readonly name: string;
  readonly version: string;
  /** The BMC's own id, which may change with every update. */
  readonly id: string;
  /** It was current until another was installed, when there is another of the same name. */
  readonly isSuperseded: boolean;
}

/** The component that software belongs to, by its first related resource. */
const RELATED: readonly (readonly [RegExp, (id: string) => string])[] = [
  [/\/Systems\/[^/]+\/Bios$/iu, () => 'bios'],
  [/\/Managers\/[^/]+$/u, () => 'bmc'],
  [/\/(?:NetworkAdapters|NetworkInterfaces)\/(?<id>[^/]+)$/u, (id) => `nic:${id}`],
];
/** Dell's ids: what they stand for, the version itself, and the place in the machine. */
const DELL = /^(?<what>Installed|Current|Previous|Available|Rollback)-/u;
const DELL_PLACES: readonly (readonly [RegExp, (place: string) => string])[] = [
  [/^BIOS\./u, () => 'bios'],
  [/^iDRAC\./u, () => 'bmc'],
  [/^NIC\./u, (place) => `nic:${place}`],
];
/** An id without a meaning, such as a number in a list. */
const IS_NUMBER = /^\d+$/u;

/** Nothing for what is not installed: the image before the last, one that waits, an empty slot. */
export function softwareOf(resource: Resource): readonly Software[] {
  const version = textOf(resource.data['Version']);
  const id = idOf(resource);
  if (version === undefined || !isInstalled(id, resource)) return [];
  const isSuperseded = id.startsWith('Current-');
  return [{ name: nameOf(resource, id), version, id, isSuperseded }];
}

function isInstalled(id: string, { data }: Resource): boolean {
  const what = DELL.exec(id)?.groups?.['what'];
  return (
    (what === undefined || what === 'Installed' || what === 'Current') &&
    objectOf(data['Status'])['State'] !== 'Absent'
  );
}

/** The name of a component, which an update does not change: without version and number. */
function nameOf(resource: Resource, id: string): string {
  const name = relatedName(resource) ?? dellName(id);
  if (name !== undefined) return name;
  const title = slug(textOf(resource.data['Name']) ?? '');
  return title !== '' && (IS_NUMBER.test(id) || isDell(id)) ? title : id;
}

function relatedName({ data }: Resource): string | undefined {
  for (const path of linksOf(data['RelatedItem']))
    for (const [pattern, name] of RELATED) {
      const found = pattern.exec(path.replace(/\/$/u, ''));
      if (found !== null) return name(found.groups?.['id'] ?? '');
    }
  return undefined;
}

function dellName(id: string): string | undefined {
  const [, ...parts] = id.split('__');
  const place = parts.join('__');
  if (!isDell(id) || place === '') return undefined;
  return DELL_PLACES.find(([pattern]) => pattern.test(place))?.[1](place) ?? place;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');

const isDell = (id: string): boolean => DELL.test(id);
