import { type JsonObject } from './json-object.js';
import { parseOverlay, refuseOverlay } from './overlay-text.js';
import { type PolicyTables, tablesOf, withGrants } from './policy-data.js';

/** An overlay file's name, as the operator gave it, and its text. */
export interface Overlay {
  readonly file: string;
  readonly text: string;
}

/** Grants of the user who created a resource, independent of the other users of its project. */
const OF_USERS: readonly string[] = ['creator', 'creator_and_project'];

/**
 * The operations that overlays gave to the creators of servers, which is deprecated: a project is the boundary that callers
 * of every other cloud rely on.
 */
export const creatorsOperations = (actions: PolicyTables['actions']): readonly string[] =>
  Object.entries(actions)
    .filter(([, row]) => row['user_based'] === 'opt_in')
    .filter(([, { grants }]) => grants.some((name) => OF_USERS.includes(name)))
    .map(([action]) => action);

/**
 * The data with every overlay's rows put in place of the table's; a later file wins over an earlier one.
 * An overlay changes the table, never the evaluator: it can name only actions and grants that the policy has.
 * @throws PolicyRefused naming file, line and rule
 */
export function withOverlays(data: unknown, overlays: readonly Overlay[]): JsonObject {
  const { actions, grants: catalogue } = tablesOf(data);
  const rows = new Map<string, readonly string[]>();
  for (const { file, text } of overlays)
    for (const { action, grants, line } of parseOverlay(file, text)) {
      const where = { file, line, rule: action };
      if (!Object.hasOwn(actions, action)) return refuseOverlay(where, 'unknown action');
      const stranger = grants.find(({ name }) => !catalogue.includes(name));
      if (stranger !== undefined)
        return refuseOverlay({ ...where, line: stranger.line }, `unknown grant "${stranger.name}"`);
      const personal = grants.find(({ name }) => OF_USERS.includes(name));
      if (personal !== undefined && actions[action]?.['user_based'] === undefined)
        return refuseOverlay(
          { ...where, line: personal.line },
          `grant "${personal.name}" is for operations that may destroy a server, and for key pairs; what only reads or disrupts stays with the project`,
        );
      rows.set(
        action,
        grants.map(({ name }) => name),
      );
    }
  return withGrants(data, rows);
}
