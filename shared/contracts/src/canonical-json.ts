type JsonMembers = Readonly<Record<string, unknown>>;

/**
 * JSON text with members in code-unit order (RFC 8785), so that equal values have equal text. Members that are undefined
 * are left out, as `JSON.stringify` does; half a surrogate pair becomes U+FFFD, as in UTF-8.
 * @param value JSON values only
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (!isMembers(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name.toWellFormed())}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
