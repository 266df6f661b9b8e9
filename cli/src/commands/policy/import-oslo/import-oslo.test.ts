import { describe, expect, it } from '@jest/globals';
import { ImportRefused } from './faults.js';
import { importOslo, type ImportResult } from './import-oslo.js';

const ACTIONS = new Set([
  'baremetal:node:get',
  'baremetal:node:list',
  'baremetal:node:update',
  'baremetal:node:update:name',
  'baremetal:node:set_power_state',
]);

const run = (text: string, allowUnknown = false): ImportResult =>
  importOslo({ file: 'policy.yaml', text, actions: ACTIONS, allowUnknown });

function refusal(text: string): readonly string[] {
  try {
    run(text);
  } catch (error) {
    if (error instanceof ImportRefused) return error.message.split('\n');
    throw error;
  }
  return [];
}

/** The rules alone: what follows the table. */
function rulesOf(text: string): string {
  const { rego } = run(text);
  return rego.slice(rego.indexOf('\n# baremetal:') + 1);
}

describe('an overlay', () => {
  it('is the whole module, comments and all', () => {
    expect(
      run('baremetal:node:get: role:reader and rule:mine\nmine: project_id:%(node.owner)s\n').rego,
    ).toBe(`# Made by "tenure policy import-oslo" from policy.yaml
# sha256 50dcc7959f86ed27cc5c640da72d9a34f5158293faf8fdda432ada8924fdb472

# METADATA
# title: Custom rules
# description: An operator's policy file for Ironic, rule by rule. Change that file, not this one.
# schemas:
#   - input: schema.question
package tenure.custom

import data.tenure.oslo

# Names of the actions that \`granted\` decides, and nothing else does.
overridden := {
	"baremetal:node:get",
}

granted("baremetal:node:get", view) if _baremetal_node_get(view)

# baremetal:node:get
# policy.yaml, line 1: "role:reader and rule:mine"
_baremetal_node_get(view) if {
	oslo.role(view, "reader")
	_mine(view)
}

# mine
# policy.yaml, line 2: "project_id:%(node.owner)s"
_mine(view) if oslo.matches(view, "project_id", "node.owner")
`);
  });

  it('has a body for each alternative', () => {
    expect(rulesOf('baremetal:node:get: role:a or (role:b or role:c) and role:d\n')).toBe(
      `# baremetal:node:get
# policy.yaml, line 1: "role:a or (role:b or role:c) and role:d"
_baremetal_node_get(view) if oslo.role(view, "a")

_baremetal_node_get(view) if {
	_baremetal_node_get_1(view)
	oslo.role(view, "d")
}

# (role:b or role:c)
_baremetal_node_get_1(view) if oslo.role(view, "b")

_baremetal_node_get_1(view) if oslo.role(view, "c")
`,
    );
  });

  it('negates only what is never undefined, else a rule of its own', () => {
    expect(
      rulesOf(
        'baremetal:node:get: not role:a and not role:%(node.owner)s and not (role:b and @)\n',
      ),
    ).toBe(
      `# baremetal:node:get
# policy.yaml, line 1: "not role:a and not role:%(node.owner)s and not (role:b and @)"
_baremetal_node_get(view) if {
	not oslo.role(view, "a")
	not _baremetal_node_get_1(view)
	not oslo.role(view, "b")
}

# role:%(node.owner)s
_baremetal_node_get_1(view) if oslo.role(view, oslo.text(view, "node.owner"))
`,
    );
  });

  it('has a function for every kind of comparison', () => {
    const rule =
      "project_id:p and domain_id:None and 'p':%(node.owner)s and None:%(node.lessee)s and user_id:u-%(node.owner)s";
    expect(rulesOf(`baremetal:node:get: "${rule}"\n`)).toContain(`{
	oslo.literal(view, "project_id", "p")
	oslo.is_none(view, "domain_id")
	oslo.target_is(view, "p", "node.owner")
	oslo.target_is_none(view, "node.lessee")
	oslo.literal(view, "user_id", concat("", ["u-", oslo.text(view, "node.owner")]))
}`);
  });

  it('has constants for always and never', () => {
    expect(rulesOf('baremetal:node:get: ""\nbaremetal:node:list: role:a and !\n')).toBe(
      `# baremetal:node:get
# policy.yaml, line 1: ""
_baremetal_node_get(_) := true

# baremetal:node:list
# policy.yaml, line 2: "role:a and !"
_baremetal_node_list(_) := false
`,
    );
  });

  it("takes rules that are not in the file from Ironic's defaults", () => {
    expect(run('baremetal:node:get: rule:is_observer\n').rules).toEqual([
      { name: 'baremetal:node:get', line: 1, action: true, check: 'rule:is_observer' },
      {
        name: 'is_observer',
        action: false,
        check: 'rule:is_member and (role:observer or role:baremetal_observer)',
      },
      {
        name: 'is_member',
        action: false,
        check:
          '(project_domain_id:default or project_domain_id:None) and (project_name:demo or project_name:baremetal)',
      },
    ]);
  });

  it('takes the rule "default" of the file for one that is missing', () => {
    const { rego } = run('baremetal:node:get: rule:absent\ndefault: role:admin\n');
    expect(rego).toContain('_baremetal_node_get(view) if _default(view)');
  });

  it('imports what it uses, and nothing else', () => {
    expect(run('baremetal:node:list: "@ or role:oslo."\n').rego).not.toContain('import ');
    expect(run('baremetal:node:list: role:oslo\n').rego).toContain('import data.tenure.oslo\n');
  });

  it('has names of their own for rules that differ in signs only', () => {
    const { rego } = run('baremetal:node:list: rule:a-b or rule:a.b\na-b: role:x\na.b: role:y\n');
    expect(rego).toContain('_a_b(view) if oslo.role(view, "x")');
    expect(rego).toContain('_a_b_v2(view) if oslo.role(view, "y")');
    expect(run('baremetal:node:list: rule:?\n"?": role:x\n').rego).toContain('_rule(view) if oslo');
  });

  it('stays one comment a rule, whatever the rule holds', () => {
    const { rego } = run('{"baremetal:node:get": "role:a\\u200bgranted\\u0085or\\nrole:b"}');
    expect(rego).toContain('"role:a\\u{200b}granted\\u{85}or\\nrole:b"');
  });

  it('of a file without an action overrides nothing', () => {
    const { rego, overridden, warnings } = run('# all commented out\n');
    expect(rego).toContain('overridden := set() | set()\n\ngranted(_, _) := false\n');
    expect(overridden).toEqual([]);
    expect(warnings).toEqual([{ line: 1, why: 'holds no rule' }]);
  });
});

describe('a file that cannot be carried over', () => {
  it('is refused with file, line, rule and reason of everything wrong', () => {
    expect(
      refusal(
        [
          '# comment',
          '"baremetal:node:get": "role:a and http://example.test/"',
          '',
          '"baremetal:node:list": "role:a role:b"',
          '"baremetal:node:update": "colour:blue"',
        ].join('\n'),
      ),
    ).toEqual([
      'policy.yaml, line 2, rule baremetal:node:get: "http:" asks a remote server, which cannot be carried over',
      'policy.yaml, line 4, rule baremetal:node:list: cannot be parsed: look for a missing and/or, unbalanced parentheses, or a quoted word that is no check',
      'policy.yaml, line 5, rule baremetal:node:update: unknown kind "colour": not rule, role, a literal or a supported attribute of the caller',
    ]);
  });

  it('is refused for a reference to nothing', () => {
    expect(refusal('baremetal:node:get: not rule:absent\n')).toEqual([
      'policy.yaml, line 1, rule baremetal:node:get: refers to rule:absent, which neither the file nor Ironic has',
    ]);
  });

  it('is refused for references in a circle, through not as well', () => {
    expect(
      refusal(
        'baremetal:node:get: role:a or rule:b\nb: not rule:c\nc: rule:b\nbaremetal:node:list: rule:baremetal:node:list\n',
      ),
    ).toEqual([
      'policy.yaml, line 2, rule b: refers to itself: b -> c -> b',
      'policy.yaml, line 3, rule c: refers to itself: c -> b -> c',
      'policy.yaml, line 4, rule baremetal:node:list: refers to itself: baremetal:node:list -> baremetal:node:list',
    ]);
  });

  it('is refused for a rule that is no action and of no use, unless that is allowed', () => {
    const text = 'baremetal:node:get: role:a\nbaremetal:node:gett: colour:blue\n';
    expect(refusal(text)).toEqual([
      'policy.yaml, line 2, rule baremetal:node:gett: is no action here, and no rule of the file refers to it; --allow-unknown leaves it out',
    ]);
    const { rego, warnings } = run(text, true);
    expect(rego).not.toContain('gett');
    expect(warnings).toMatchObject([{ line: 2, rule: 'baremetal:node:gett' }]);
  });

  it("is refused for a changed helper of Ironic's own rules, and not for an unchanged one", () => {
    expect(refusal('service_role: "!"\n')).toHaveLength(1);
    expect(refusal('admin_api: role:admin  or (role:administrator)\n')).toEqual([]);
  });
});

describe('warnings to the operator', () => {
  it('name the rules that Ironic would let an older one decide', () => {
    expect(run('baremetal:node:update: role:a\n').warnings).toEqual([
      {
        line: 1,
        rule: 'baremetal:node:update',
        why: 'does not decide baremetal:node:update:name, which Ironic took from it; name them too',
      },
    ]);
    expect(
      run('baremetal:node:update: role:a\nbaremetal:node:update:name: role:a\n').warnings,
    ).toEqual([]);
  });

  it('name checks that match nobody, or the caller itself', () => {
    expect(
      run('baremetal:node:get: rule:h\nh: is_admin:True or user_id:%(user_id)s\n').warnings,
    ).toEqual([
      { line: 2, rule: 'h', why: 'is_admin:True never matches: no caller carries it' },
      { line: 2, rule: 'h', why: "%(user_id)s is the caller's own user_id, not the machine's" },
    ]);
  });
});
