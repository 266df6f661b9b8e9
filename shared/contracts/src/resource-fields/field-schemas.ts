import { type TSchema, Type } from '@sinclair/typebox';
import { TenancyId } from '../ids.js';

/** Plain uuids only: the `uuid` format of JSON Schema also takes `urn:uuid:…`. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const UUID_FORM = new RegExp(UUID_PATTERN, 'u');

const MAC_PATTERN = '^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$';
const MAC_FORM = new RegExp(MAC_PATTERN, 'u');

/** A custom trait, or a standard one. Each release of os-traits adds standard traits, so they are not listed here. */
const TRAIT_PATTERN = '^(?:CUSTOM_[A-Z0-9_]+|(?!CUSTOM_)[A-Z][A-Z0-9_]*)$';
export const Trait = Type.String({ minLength: 1, maxLength: 255, pattern: TRAIT_PATTERN });
/** Traits that a node may have at most. */
export const MAX_TRAITS = 50;

/** A text of at most so many characters, or null. */
export const nullableText = (maxLength: number, minLength = 0, pattern?: string): TSchema =>
  Type.Union([
    Type.String({ minLength, maxLength, ...(pattern !== undefined && { pattern }) }),
    Type.Null(),
  ]);

/** A text of at least one and at most so many characters. */
export const textOf = (maxLength: number): TSchema => Type.String({ minLength: 1, maxLength });

/** A number that every client can store: 31 bits. */
export const Counted = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

export const MacAddress = Type.String({ pattern: MAC_PATTERN });
export const NullableMacAddress = nullableText(17, 17, MAC_PATTERN);
export const NullableTenancyId = Type.Union([TenancyId, Type.Null()]);

/** Modes of Linux's bonding driver, by name or number; others are a matter of the switch, so any word is one. */
export const BondMode = nullableText(255, 1, '^[A-Za-z0-9][A-Za-z0-9_.+-]*$');

const INTERFACES = ['bios', 'deploy', 'firmware', 'management', 'power', 'raid', 'vendor'] as const;

export const TemplateStep = Type.Object(
  {
    interface: Type.Union(INTERFACES.map((name) => Type.Literal(name))),
    step: textOf(255),
    args: Type.Object({}, { additionalProperties: true }),
    priority: Counted,
  },
  { additionalProperties: false },
);

export const isUuid = (text: string): boolean => UUID_FORM.test(text);

export const isMacAddress = (text: string): boolean => MAC_FORM.test(text.toLowerCase());
