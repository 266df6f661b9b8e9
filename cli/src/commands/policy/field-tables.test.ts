import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  HANDOVER_CATALOGUE,
  LEASE_CATALOGUE,
  NODE_CATALOGUE,
  type ResourceCatalogue,
  VOLUME_CONNECTOR_CATALOGUE,
  VOLUME_TARGET_CATALOGUE,
} from '@tenure/contracts';
import { parse } from 'yaml';

// A field that the policy's table does not name is not decided: every member of the API is named.

interface Table {
  readonly view?: Readonly<Record<string, string>>;
  readonly visible?: readonly string[];
  readonly write?: Readonly<Record<string, string | null>>;
}

const file = path.join(import.meta.dirname, '../../../../policies-rego/tenure/fields/data.yaml');
const { tables } = parse(readFileSync(file, 'utf8')) as {
  readonly tables: Readonly<Record<string, Table>>;
};

const membersOf = (...catalogues: readonly ResourceCatalogue[]): readonly string[] =>
  [...new Set(catalogues.flatMap(({ members }) => members))].sort();

const VOLUME = [VOLUME_CONNECTOR_CATALOGUE, VOLUME_TARGET_CATALOGUE];

describe('the field table', () => {
  it.each([
    ['node', [NODE_CATALOGUE]],
    ['volume', VOLUME],
    ['lease', [LEASE_CATALOGUE]],
  ])('says of every member of a %s which action writes it, and of nothing else', (name, kinds) => {
    expect(Object.keys(tables[name]?.write ?? {}).sort()).toEqual(membersOf(...kinds));
  });

  it.each([
    ['node', [NODE_CATALOGUE], []],
    ['volume', VOLUME, []],
    ['handover', [HANDOVER_CATALOGUE], ['step_detail']],
  ])(
    'says of every member of a %s once which callers see it, and of nothing else',
    (name, kinds, parts) => {
      const { view = {}, visible = [] } = tables[name] ?? {};
      expect([...Object.keys(view), ...visible].sort()).toEqual(
        [...membersOf(...kinds), ...parts].sort(),
      );
    },
  );
});
