/** Gives every rule a name of its own in Rego, the same for the same rules in the same order. */
export interface RegoNames {
  readonly of: (rule: string) => string;
  /** A name for a part of a rule. */
  readonly part: (rule: string) => string;
}

export function regoNames(): RegoNames {
  const taken = new Set<string>();
  const given = new Map<string, string>();
  const free = (candidate: (count: number) => string, from: number): string => {
    let count = from;
    while (taken.has(candidate(count))) count += 1;
    taken.add(candidate(count));
    return candidate(count);
  };
  const of = (rule: string): string => {
    const existing = given.get(rule);
    if (existing !== undefined) return existing;
    const name = free((count) => (count === 1 ? plain(rule) : `${plain(rule)}_v${count}`), 1);
    given.set(rule, name);
    return name;
  };
  return { of, part: (rule) => free((count) => `${of(rule)}_${count}`, 1) };
}

function plain(name: string): string {
  const letters = name.replace(/[^a-z0-9]+/giu, '_').replace(/^_+/u, '');
  return `_${letters === '' ? 'rule' : letters}`; // a lone _ is no name
}
