import { type Group } from './answers.js';
import { type QueryTables } from './probes.js';
import { type Answered } from './query.js';
import { isListed } from './rows.js';
import { OF_NOBODY, targetsOf } from './targets.js';
import { ROLE_SETS } from './vocabulary.js';

/** Pairs of answers for an invariant to compare. */
export type Pairs = (group: Group, tables: QueryTables) => Iterable<readonly [Answered, Answered]>;

const LIST = /^baremetal:([^:]+):list(?:_all)?$/u;

/** The same question with two sets of roles, given by their indexes. */
export const byRoles = (indexes: readonly (readonly [number, number])[]): Pairs =>
  function* pairs(group) {
    for (const [at, { probe }] of group.layout.cells.entries())
      for (const action of probe.actions)
        for (const [first, second] of indexes)
          yield [group.at(first, at, action), group.at(second, at, action)];
  };

/** The same question about a resource of others, and about an unowned one. */
export function* foreignAndUnowned(group: Group): ReturnType<Pairs> {
  const { cells, find } = group.layout;
  for (const [at, { target, probe }] of cells.entries()) {
    if (target.relation === 'none' || !OF_NOBODY.includes(target.relation)) continue;
    const [action = ''] = probe.actions;
    const foreign = find(action, { ...target, relation: 'neither' }, probe.field);
    if (foreign === undefined) continue;
    for (const name of probe.actions)
      for (const roles of ROLE_SETS.keys())
        yield [group.at(roles, foreign, name), group.at(roles, at, name)];
  }
}

/** A list, and the answer to `get` for each row of it. */
export function* listAndRow(group: Group, tables: QueryTables): ReturnType<Pairs> {
  const { scope, find } = group.layout;
  const nowhere = { type: 'none', relation: 'none', public: undefined } as const;
  for (const action of Object.keys(tables.actions)) {
    const noun = LIST.exec(action)?.[1];
    const list = find(action, nowhere, undefined);
    if (noun === undefined || list === undefined) continue;
    const get = `baremetal:${noun}:get`;
    for (const target of targetsOf(noun, scope, tables.resources)) {
      const row = find(get, target, undefined);
      if (row === undefined) continue;
      for (const roles of ROLE_SETS.keys()) {
        const listed = group.at(roles, list, action);
        if (isListed(listed.answer, target, scope)) yield [listed, group.at(roles, row, get)];
      }
    }
  }
}
