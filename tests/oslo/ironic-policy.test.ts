import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ACTION_TABLE, readActions } from '../../cli/src/commands/policy/import-oslo/files.js';
import {
  importOslo,
  type ImportResult,
} from '../../cli/src/commands/policy/import-oslo/import-oslo.js';
import { IRONIC_DEFAULTS } from '../../cli/src/commands/policy/import-oslo/ironic-defaults.js';
import { readPolicyFile } from '../../cli/src/commands/policy/import-oslo/policy-file.js';
import { compiled, withPolicy } from './engines.js';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const POLICY = readFileSync(path.join(FIXTURES, 'ironic-policy.yaml'), 'utf8');

/** The answers of oslo.policy to Ironic's defaults: A allowed, - refused, S refused for the scope of the token. */
interface Row {
  readonly rule: string;
  readonly target: string;
  readonly cells: ReadonlyMap<string, string>;
}

function readMatrix(): readonly Row[] {
  const text = readFileSync(path.join(FIXTURES, 'persona-matrix.csv'), 'utf8');
  const [head = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return lines.map(([rule = '', target = '', ...cells]) => ({
    rule,
    target,
    cells: new Map(cells.map((cell, at) => [head[at + 2] ?? '', cell])),
  }));
}

const ROLES: Readonly<Record<string, readonly string[]>> = {
  admin: ['admin', 'manager', 'member', 'reader'],
  manager: ['manager', 'member', 'reader'],
  member: ['member', 'reader'],
  reader: ['reader'],
  service: ['service'],
  norole: [],
};

const SCOPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sys: { system_scope: 'all' },
  svc: { project_id: 'p-service', project_name: 'service', project_domain_id: 'default' },
  own: { project_id: 'p-owner' },
  les: { project_id: 'p-lessee' },
  '3rd': { project_id: 'p-third' },
  domain: { domain_id: 'd1' },
};

/** A persona such as own_admin; a service project's has the role service. Ironic takes an absent is_admin_project for true. */
function subjectOf(persona: string): Readonly<Record<string, unknown>> {
  const [scope = '', role = ''] = persona.split('_');
  return {
    user_id: 'u1',
    project_id: null,
    system_scope: null,
    domain_id: null,
    is_admin_project: true,
    ...SCOPES[scope],
    roles: ROLES[scope === 'svc' ? 'service' : role],
  };
}

const RESOURCES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  none: { type: 'none', owner: null, lessee: null },
  node: { type: 'node', owner: 'p-owner', lessee: 'p-lessee' },
  node_unowned: { type: 'node', owner: null, lessee: null },
  alloc_by_owner: { type: 'allocation', owner: 'p-owner', lessee: null },
  alloc_by_lessee: { type: 'allocation', owner: 'p-lessee', lessee: null },
  runbook: { type: 'runbook', owner: 'p-owner', lessee: null },
  runbook_public: { type: 'runbook', owner: null, lessee: null, public: true },
};

const SWITCHES = {
  project_admin_can_manage_own_nodes: true,
  rbac_service_role_elevated_access: false,
  rbac_service_project: 'service',
};

const QUESTION = `package tenure.difference

import data.tenure.grants

default granted := false

granted if grants.granted(input.action, grants.here)
`;

const matrix = readMatrix();
let actionNames: ReadonlySet<string>;
let imported: ImportResult;

beforeAll(async () => {
  actionNames = await readActions(ACTION_TABLE);
  imported = importOslo({
    file: 'policy.yaml',
    text: POLICY,
    actions: actionNames,
    allowUnknown: false,
  });
});

describe("Ironic's whole policy as a file", () => {
  it('is what references fall back to', () => {
    const rules = readPolicyFile(POLICY).rules.map(({ name, source }) => [name, source]);
    expect(rules).toHaveLength(133);
    expect(new Map(rules as [string, string][])).toEqual(IRONIC_DEFAULTS);
  });

  it('is carried over without a word', () => {
    expect(imported.warnings).toEqual([]);
    expect(imported.overridden).toHaveLength(122);
    // of the helpers only the one that is referred to
    const helpers = imported.rules.filter(({ action }) => !action).map(({ name }) => name);
    expect(helpers).toEqual(['service_role', 'is_member']);
  });

  it('answers every persona as oslo.policy does, but for null equal to null', async () => {
    const rows = matrix.filter(({ rule }) => actionNames.has(rule));
    const differences = await withPolicy(async (directory) => {
      writeFileSync(path.join(directory, 'tenure', 'custom', 'custom.rego'), imported.rego);
      writeFileSync(path.join(directory, 'difference.rego'), QUESTION);
      const ask = await compiled(directory, 'tenure/difference/granted');
      return rows.flatMap(({ rule, target, cells }) =>
        [...cells].flatMap(([persona, cell]) => {
          const question = {
            action: rule,
            subject: subjectOf(persona),
            resource: RESOURCES[target],
          };
          const elevated = persona === 'svc_elev';
          const allowed = ask('tenure/difference/granted', question, {
            ...SWITCHES,
            rbac_service_role_elevated_access: elevated,
          });
          return allowed === (cell === 'A') ? [] : [`${rule} ${target} ${persona} ${cell}`];
        }),
      );
    });
    expect(rows.length * 20).toBe(2660);
    // a system token has no project, and the node no owner
    expect(differences).toEqual([
      'baremetal:port:create node_unowned sys_manager A',
      'baremetal:node:delete:self_owned_node node_unowned sys_admin A',
    ]);
  });
});
