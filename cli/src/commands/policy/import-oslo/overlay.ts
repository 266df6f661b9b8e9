import { regoNames } from './rego-names.js';
import { commentOf, writeRule } from './rego-rule.js';
import { type Rule } from './rules.js';

/** The parts of an overlay. `rules` contains the actions and all rules that they refer to. */
export interface OverlayContent {
  /** Name of the operator's file, for comments. */
  readonly file: string;
  readonly sha256: string;
  readonly actions: readonly string[];
  readonly rules: readonly Rule[];
  /** The name of the rule that a reference resolves to. */
  readonly meant: (reference: string) => string;
}

const IMPORT = 'import data.tenure.oslo\n';

// The compiler infers any type for the empty set only in a union.
const NO_ACTION = `# The file has no rule of an action.
overridden := set() | set()

granted(_, _) := false
`;

/** The overlay as a Rego module, deterministic for the same file. */
export function writeOverlay(content: OverlayContent): string {
  if (content.actions.length === 0) return `${headOf(content)}\n${NO_ACTION}`;
  const names = regoNames();
  const rules = content.rules.map((rule) =>
    writeRule(
      { name: rule.name, formula: rule.formula, comments: commentsOf(content.file, rule) },
      names,
      (reference) => names.of(content.meant(reference)),
    ),
  );
  const imports = rules.some(usesImport) ? [IMPORT] : [];
  return [headOf(content), ...imports, tableOf(content.actions, names.of), ...rules].join('\n');
}

const headOf = ({ file, sha256 }: OverlayContent): string =>
  `${commentOf(`Made by "tenure policy import-oslo" from ${file}`)}
# sha256 ${sha256}

# METADATA
# title: Custom rules
# description: An operator's policy file for Ironic, rule by rule. Change that file, not this one.
# schemas:
#   - input: schema.question
package tenure.custom
`;

function commentsOf(file: string, { name, line, source }: Rule): readonly string[] {
  const origin = line === undefined ? "Ironic's default" : `${file}, line ${line}`;
  return [name, `${origin}: ${JSON.stringify(source)}`];
}

// An unused import is an error.
const usesImport = (rule: string): boolean =>
  rule.split('\n').some((line) => !line.startsWith('#') && line.includes('oslo.'));

function tableOf(actions: readonly string[], regoName: (rule: string) => string): string {
  const sorted = [...actions].sort();
  const names = sorted.map((action) => `\t${JSON.stringify(action)},\n`).join('');
  const granted = sorted
    .map((action) => `granted(${JSON.stringify(action)}, view) if ${regoName(action)}(view)\n`)
    .join('\n');
  return `# Names of the actions that \`granted\` decides, and nothing else does.
overridden := {
${names}}

${granted}`;
}
