import { Type } from '@sinclair/typebox';
import { nullableText } from '../field-values.js';

const PATTERN = '^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$';

/** A MAC address in its stored form. */
export const MacAddress = Type.String({ pattern: PATTERN });
/** The same, or null. */
export const NullableMacAddress = nullableText(17, 17, PATTERN);

const MAC_FORM = new RegExp(PATTERN, 'u');
export const isMacAddress = (text: string): boolean => MAC_FORM.test(text.toLowerCase());
