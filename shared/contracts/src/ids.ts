import { type TString, Type } from '@sinclair/typebox';
import { withoutTrailing } from './text-end.js';

const MAX_LENGTH = 255;
/** Controls, unassigned and private characters, blanks, and characters that are displayed as nothing (U+2800 is drawn empty). */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Decoration of a UUID's digits that OpenStack accepts: `urn:uuid:`, braces, and hyphens, or none. */
const AROUND_UUID = /urn:|uuid:|^\{+|-/giu;
const UUID_DIGITS = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/u;

const hasLength = (text: string): boolean => text !== '' && text.length <= MAX_LENGTH;

/**
 * Whether a text can be the id of a user, project or domain: 1 to 255 characters, all of them to be seen, but for spaces
 * in between. A lone surrogate is none: it would be one id here and another in the policy.
 */
export const isTenancyId = (value: unknown): value is string =>
  typeof value === 'string' &&
  hasLength(value) &&
  !value.startsWith(' ') &&
  !value.endsWith(' ') &&
  !UNSEEN.test(value.replaceAll(' ', ''));

/**
 * Whether a text can be the id of a resource of another service (VIF, volume, connector): 1 to 255 characters, all of them
 * to be seen, in Unicode's normal form C.
 */
export const isOutsideId = (value: unknown): value is string =>
  typeof value === 'string' &&
  hasLength(value) &&
  !UNSEEN.test(value) &&
  value.normalize('NFC') === value;

const WORLD_WIDE_NAME = /^(?:0x|naa\.)?(?:[0-9a-f]{16}|[0-9a-f]{32})$/iu;
const WORLD_WIDE_NAME_PARTS = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){6}$/iu;
const ISCSI_NAME = /^(?:iqn|eui|naa)\./iu;
const MAC = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}$/iu;

/** JSON Schema formats of ids, checked by `matches` and `parse`. */
export const ID_FORMATS = {
  'tenancy-id': isTenancyId,
  'outside-id': isOutsideId,
} as const;

const idOf = (format: keyof typeof ID_FORMATS): TString =>
  Type.String({ format, minLength: 1, maxLength: MAX_LENGTH });

/** The id of a user, project or domain. */
export const TenancyId = idOf('tenancy-id');
/** The id of a resource of another service. */
export const OutsideId = idOf('outside-id');

/**
 * The one spelling of an outside id: a UUID in lower case with its four hyphens, anything else as it is. A UUID is whatever
 * services of OpenStack take for one.
 */
export function canonicalOutsideId(id: string): string {
  const digits = UUID_DIGITS.exec(withoutTrailing(id, '}').replace(AROUND_UUID, '').toLowerCase());
  return digits === null ? id : digits.slice(1).join('-');
}

/**
 * The one spelling of an initiator's name. World wide names and MAC addresses are hexadecimal numbers, and iSCSI names
 * are lower case once they are prepared (RFC 3722): all of these are in lower case, and pairs of digits have
 * colons between them. Anything else is an outside id like others.
 */
export function canonicalConnectorId(id: string): string {
  if ([WORLD_WIDE_NAME_PARTS, MAC].some((form) => form.test(id)))
    return id.toLowerCase().replaceAll('-', ':');
  return [WORLD_WIDE_NAME, ISCSI_NAME].some((form) => form.test(id))
    ? id.toLowerCase()
    : canonicalOutsideId(id);
}

/** Every canonical spelling of the initiator that an id names: a world wide name has one with colons and one without. */
export function connectorSpellings(id: string): readonly string[] {
  const canonical = canonicalConnectorId(id);
  const bare = canonical.replace(/^(?:0x|naa\.)/u, '').replaceAll(':', '');
  if (!/^[0-9a-f]{16}$/u.test(bare)) return [canonical];
  const pairs = bare.match(/../gu)?.join(':') ?? bare;
  return [bare, pairs, `0x${bare}`, `naa.${bare}`];
}
