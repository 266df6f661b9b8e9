const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
]);

/**
 * A flag as clients send it, the command line's as text: the boolean that a word means, anything else as it is.
 * One table for the gateway, which asks the policy about the value, and the inventory, which stores it.
 */
export const booleanIn = (value: unknown): unknown =>
  typeof value === 'string' ? (BOOLEANS.get(value.toLowerCase()) ?? value) : value;
