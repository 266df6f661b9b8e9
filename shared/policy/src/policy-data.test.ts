import { describe, expect, it } from '@jest/globals';
import { creatorsOperations, withOverlays } from './overlays.js';
import { revisionOf, tablesOf, withSwitches } from './policy-data.js';

const data = {
  other: 1,
  tenure: {
    actions: {
      'baremetal:node:get': { kind: 'item', grants: ['owner'], legacy: ['old_admin'] },
      'baremetal:node:list': { kind: 'list', grants: ['anyone'] },
    },
    grants: { catalogue: { owner: '', anyone: '', creator: '' } },
    switches: { enforce_scope: true, rbac_service_project: 'service' },
  },
};

describe('tablesOf', () => {
  it.each([
    ['nothing', undefined, 'action table'],
    ['no tenure', {}, 'action table'],
    ['an empty action table', { tenure: { ...data.tenure, actions: {} } }, 'action table'],
    [
      'a row without grants',
      { tenure: { ...data.tenure, actions: { 'baremetal:node:get': {} } } },
      'row for baremetal:node:get',
    ],
    ['no grants', { tenure: { ...data.tenure, grants: {} } }, 'list of grants'],
    ['no switches', { tenure: { ...data.tenure, switches: undefined } }, 'switches'],
  ])('refuses data with %s', (_what, given, message) => {
    expect(() => tablesOf(given)).toThrow(message);
  });
});

describe('withSwitches', () => {
  it('sets what the environment sets and leaves the rest', () => {
    const changed = withSwitches(data, { enforce_scope: false, rbac_service_project: undefined });
    expect(tablesOf(changed).switches).toEqual({
      enforce_scope: false,
      rbac_service_project: 'service',
    });
    expect(changed['other']).toBe(1);
  });

  it('refuses a switch that the policy does not have', () => {
    expect(() => withSwitches(data, { no_such_switch: true })).toThrow(
      'the policy has no switch no_such_switch',
    );
  });
});

describe('withOverlays', () => {
  it.each([
    ['JSON', 'o.json', '{"baremetal:node:get": ["anyone"]}'],
    ['YAML in one line', 'o.yaml', '# own rules\nbaremetal:node:get: [anyone] # only\n'],
    ['YAML in several lines', 'o.yml', '---\n"baremetal:node:get":\n  - anyone\n'],
  ])('replaces the grants of a row, deprecated ones too: %s', (_what, file, text) => {
    expect(tablesOf(withOverlays(data, [{ file, text }])).actions).toEqual({
      'baremetal:node:get': { kind: 'item', grants: ['anyone'] },
      'baremetal:node:list': { kind: 'list', grants: ['anyone'] },
    });
  });

  it('lets a later file win and takes an empty list for nobody', () => {
    const changed = withOverlays(data, [
      { file: 'a.json', text: '{"baremetal:node:get": ["anyone"]}' },
      { file: 'b.yaml', text: 'baremetal:node:get: []\n' },
    ]);
    expect(tablesOf(changed).actions['baremetal:node:get']?.grants).toEqual([]);
  });

  it.each([
    [
      'o.json',
      '{\n  "baremetal:node:explode": ["owner"]\n}',
      'overlay o.json, line 2, rule baremetal:node:explode: unknown action',
    ],
    [
      'o.json',
      '{\n\n  "baremetal:node:get": ["owner", "everyone"]\n}',
      'overlay o.json, line 3, rule baremetal:node:get: unknown grant "everyone"',
    ],
    [
      'o.json',
      '{"baremetal:node:get": "owner"}',
      'overlay o.json, line 1, rule baremetal:node:get: must be a list',
    ],
    [
      'o.json',
      '{"baremetal:node:get": ["owner"],\n"baremetal:node:get": []}',
      'overlay o.json, line 2, rule baremetal:node:get: is named twice, first in line 1',
    ],
    ['o.json', '{\n"baremetal:node:get": ["owner"\n}', 'overlay o.json, line 3: not valid YAML'],
    ['o.json', '["baremetal:node:get"]', 'overlay o.json, line 1: must be an object'],
    [
      'o.yaml',
      '# one\nbaremetal:node:get: [everyone]\n',
      'overlay o.yaml, line 2, rule baremetal:node:get: unknown grant "everyone"',
    ],
    [
      'o.yaml',
      'baremetal:node:get: [owner]\nbaremetal:node:get: [creator]\n',
      'overlay o.yaml, line 2, rule baremetal:node:get: is named twice',
    ],
    [
      'o.yaml',
      'baremetal:node:get:\n  - owner\n  - everyone\n',
      'overlay o.yaml, line 3, rule baremetal:node:get: unknown grant "everyone"',
    ],
    [
      'o.yaml',
      'baremetal:node:get:\n  - owner\n  - {grant: creator}\n',
      'overlay o.yaml, line 3, rule baremetal:node:get: must be a list of grant names',
    ],
    [
      'o.yaml',
      'baremetal:node:get: [owner, 5]\n',
      'overlay o.yaml, line 1, rule baremetal:node:get: must be a list of grant names',
    ],
    [
      'o.yaml',
      'baremetal:node:get: [owner]\n\n? [baremetal:node:list]\n: [anyone]\n',
      'overlay o.yaml, line 3: an action must be a name',
    ],
    ['o.yaml', '\n- baremetal:node:get\n', 'overlay o.yaml, line 2: must be an object'],
    ['o.yaml', 'baremetal:node:get\n', 'overlay o.yaml, line 1: must be an object'],
    [
      'o.yaml',
      'baremetal:node:get: [owner]\n---\nbaremetal:node:list: [owner]\n',
      'overlay o.yaml, line 2: not valid YAML (MULTIPLE_DOCS)',
    ],
    [
      'o.yaml',
      'baremetal:node:get:\n',
      'overlay o.yaml, line 1, rule baremetal:node:get: has no grants',
    ],
    [
      'o.yaml',
      'baremetal:node:get: owner\n',
      'overlay o.yaml, line 1, rule baremetal:node:get: must be a list',
    ],
    [
      'o.yaml',
      'baremetal:node:get: [owner]\n  role:admin\n',
      'overlay o.yaml, line 2: not valid YAML',
    ],
  ])('refuses a bad %s naming file, line and rule: %j', (file, text, message) => {
    expect(() => withOverlays(data, [{ file, text }])).toThrow(message);
  });
});

describe('revisionOf', () => {
  const wasm = Buffer.from('wasm');

  it('does not depend on the order of members', () => {
    const reordered = { tenure: { ...data.tenure }, other: 1 };
    expect(revisionOf(wasm, reordered)).toBe(revisionOf(wasm, data));
    expect(revisionOf(wasm, data)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('changes with policy, switch and overlay', () => {
    const revisions = [
      revisionOf(wasm, data),
      revisionOf(Buffer.from('other'), data),
      revisionOf(wasm, withSwitches(data, { enforce_scope: false })),
      revisionOf(wasm, withOverlays(data, [{ file: 'o.yaml', text: 'baremetal:node:list: []' }])),
    ];
    expect(new Set(revisions).size).toBe(4);
  });
});

describe('overlays about the creators of servers', () => {
  const servers = {
    tenure: {
      ...data.tenure,
      actions: {
        'os_compute_api:servers:delete': { grants: ['owner'], user_based: 'opt_in' },
        'os_compute_api:servers:reboot': { grants: ['owner'] },
        'os_compute_api:os-keypairs:show': { grants: ['creator'], user_based: 'always' },
      },
    },
  };
  const under = (text: string) =>
    tablesOf(withOverlays(servers, [{ file: 'user_id.yaml', text }])).actions;

  it('give an operation that destroys to the creator, and are reported', () => {
    const actions = under('os_compute_api:servers:delete: [creator, owner]\n');
    expect(actions['os_compute_api:servers:delete']?.grants).toEqual(['creator', 'owner']);
    expect(creatorsOperations(actions)).toEqual(['os_compute_api:servers:delete']);
  });

  it('are not reported when they give nothing to creators, as key pairs always do', () => {
    expect(creatorsOperations(under('os_compute_api:servers:delete: [anyone]\n'))).toEqual([]);
  });

  it('are refused for what only disrupts, with the reason', () => {
    expect(() => under('\nos_compute_api:servers:reboot:\n  - owner\n  - creator\n')).toThrow(
      'overlay user_id.yaml, line 4, rule os_compute_api:servers:reboot: grant "creator" is for operations that may destroy a server',
    );
  });
});
