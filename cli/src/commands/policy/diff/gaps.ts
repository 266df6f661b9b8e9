import { type BundleEntries } from '@tenure/policy/runtime';

const CUSTOM_RULES = /(?:^|\/)tenure\/custom\/[^/]+\.rego$/u;
/** A file of custom rules that replaces no row. */
const REPLACES_NONE = /^overridden := set\(\)/mu;

/**
 * Why an enumeration over the product's own vocabulary may miss questions: an operator's own Rego may read any input.
 * @returns the reason as a text; undefined when there is none
 */
export function gapOf(name: string, entries: BundleEntries): string | undefined {
  const custom = [...entries].filter(([file]) => CUSTOM_RULES.test(file));
  const replacing = custom.filter(
    ([, content]) => !REPLACES_NONE.test(Buffer.from(content).toString('utf8')),
  );
  return replacing.length === 0
    ? undefined
    : `${name} has Rego rules of its own, which may look at roles, projects and claims that are not in the model`;
}
