/** The texts of a list that it has more than once, in the order in which they come again. */
export const repeatedIn = (texts: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text);
  return repeated;
};
