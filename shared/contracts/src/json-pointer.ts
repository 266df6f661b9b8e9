/** RFC 6901. One implementation for the gateway (which asks the policy) and the inventory (which patches). */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/u;

/**
 * The decoded reference tokens of a JSON pointer, or undefined when it is malformed or points at the whole document.
 * @example segmentsOf('/driver_info/a~1b') // ['driver_info', 'a/b']
 */
export function segmentsOf(pointer: string): readonly string[] | undefined {
  if (!POINTER.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A pointer to a top-level member. */
export const pointerTo = (member: string): string =>
  `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
