/** The texts that occur more than once in a list, in the order of their second occurrence. */
export function repeatedIn(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text);
  return repeated;
}
