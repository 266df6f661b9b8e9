import { describe, expect, it } from '@jest/globals';
import { grantPlaces, rowPlace } from './rule-places.js';

const SOURCES = {
  'rego/grants.rego': [
    'package tenure.grants',
    '',
    '_anywhere contains "public"',
    '',
    '_grants(relations) := {name |',
    '\tname := concat("_", [related, role])',
    '}',
    '',
  ].join('\n'),
  'rego/custom.rego': 'package tenure.custom\n\ngranted("a:b", view) if view.roles.operator\n',
  'rego/other.rego': 'package tenure.other\n\nname := "public"\n',
};
const data = { tenure: { actions: { 'a:b': { grants: ['public'] } } } };

describe('where a grant is written', () => {
  it('is the rule that names it', () => {
    expect(grantPlaces('public', { sources: SOURCES })).toEqual([
      { file: 'rego/grants.rego', line: 3, text: '_anywhere contains "public"' },
    ]);
  });

  it('is, for a relation and a role, the rule that puts their names together', () => {
    expect(grantPlaces('owner_member', { sources: SOURCES })).toEqual([
      {
        file: 'rego/grants.rego',
        line: 5,
        text: '_grants(relations) := {name |\n\tname := concat("_", [related, role])\n}',
      },
    ]);
  });

  it('is, for an operator’s own rules, their package', () => {
    expect(grantPlaces('custom', { sources: SOURCES })).toMatchObject([
      { file: 'rego/custom.rego', line: 3 },
    ]);
  });
});

describe('where the row of an action is written', () => {
  const first = { file: 'first.yaml', text: '# mine\na:b: [public]\n' };
  const second = { file: 'second.yaml', text: 'a:c: []\n' };

  it('is the table, as long as no overlay has it', () => {
    const place = rowPlace('a:b', data, { overlays: [second] });
    expect(place?.file).toBe('policies-rego/tenure/actions/data.yaml');
    expect(place?.text).toContain('a:b: {\n  "grants": [\n    "public"');
  });

  it('is the last overlay that has it, with its line', () => {
    const overlays = [first, { ...first, file: 'last.yaml' }, second];
    expect(rowPlace('a:b', data, { overlays })).toMatchObject({ file: 'last.yaml', line: 2 });
  });

  it('is nowhere for an action that the policy does not have', () => {
    expect(rowPlace('x:y', data, { overlays: [] })).toBeUndefined();
  });
});
