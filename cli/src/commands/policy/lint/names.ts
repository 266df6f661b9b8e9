import { isJsonObject, type JsonObject, memberOf, tablesOf } from '@tenure/policy';
import { queryTablesOf } from '../verify/probes.js';
import { type Finding, note, warning } from './finding.js';

/** A kind of name, the defined names of that kind, and the members of action rows that have such names. */
interface Names {
  readonly what: string;
  readonly defined: ReadonlySet<string>;
  readonly members: readonly string[];
}

/** Names in the tables of a policy that are not defined: such a line has no effect. */
export function unknownNames(data: JsonObject): readonly Finding[] {
  const { actions, grants, switches } = tablesOf(data);
  const { resources, fieldTables } = queryTablesOf(data);
  const defined = new Set(Object.keys(actions));
  const rows = inRows(actions, [
    {
      what: 'grant',
      defined: new Set(grants),
      members: ['grants', 'legacy', 'own_project_unless'],
    },
    { what: 'action', defined, members: ['fallback', 'all', 'get'] },
    { what: 'switch', defined: new Set(Object.keys(switches)), members: ['switch'] },
    { what: 'field table', defined: new Set(Object.keys(fieldTables)), members: ['table'] },
  ]);
  const fromTables = Object.entries(fieldTables).flatMap(([table, parts]) =>
    [
      ...textsIn(memberOf(parts, 'see_all')),
      ...textsIn(memberOf(parts, 'update')),
      ...['view', 'write', 'off'].flatMap((part) => valuesIn(memberOf(parts, part))),
      ...valuesIn(memberOf(parts, 'conditions')).map((each) => memberOf(each, 'action')),
    ]
      .filter((name) => typeof name === 'string' && !defined.has(name))
      .map((name) => unknown(`field table ${table}`, 'action', String(name))),
  );
  const fromTypes = Object.entries(resources).flatMap(([type, row]) =>
    ['get', 'list']
      .flatMap((member) => textsIn(memberOf(row, member)))
      .filter((name) => !defined.has(name))
      .map((name) => unknown(`type ${type}`, 'action', name)),
  );
  return [...rows, ...fromTables, ...fromTypes];
}

/** Grants of the catalogue that no row names; overlays may. */
export function unusedGrants(data: JsonObject): readonly Finding[] {
  const { actions, grants } = tablesOf(data);
  const used = new Set(
    Object.values(actions).flatMap((row) => [...textsIn(row.grants), ...textsIn(row['legacy'])]),
  );
  return grants
    .filter((name) => !used.has(name))
    .map((name) => note('unused-grant', name, 'no row names this grant'));
}

const inRows = (actions: JsonObject, names: readonly Names[]): readonly Finding[] =>
  Object.entries(actions).flatMap(([action, row]) =>
    names.flatMap(({ what, defined, members }) =>
      members
        .flatMap((member) => textsIn(memberOf(row, member)))
        .filter((name) => !defined.has(name))
        .map((name) => unknown(action, what, name)),
    ),
  );

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.filter((each) => typeof each === 'string')
    : typeof value === 'string'
      ? [value]
      : [];

const valuesIn = (value: unknown): readonly unknown[] =>
  isJsonObject(value) ? Object.values(value) : [];

const unknown = (about: string, what: string, name: string): Finding =>
  warning('unknown-name', about, `names the ${what} ${name}, which there is not`);
