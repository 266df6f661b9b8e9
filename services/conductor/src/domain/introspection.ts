import { type NodeRecord } from '@tenure/contracts';
import { type Fields } from './members.js';

const STATES: ReadonlyMap<string, string> = new Map([
  ['inspecting', 'processing'],
  ['inspect wait', 'waiting'],
  ['inspect failed', 'error'],
]);

/** True when the node is or was inspected. */
export const wasIntrospected = (node: NodeRecord): boolean =>
  (node.inspection_started_at ?? null) !== null ||
  (node.inspection_finished_at ?? null) !== null ||
  STATES.has(node.provision_state);

/** As ironic-inspector calls it: `waiting`, `processing`, `error` or `finished`. */
export const introspectionStateOf = (node: NodeRecord): string =>
  STATES.get(node.provision_state) ?? 'finished';

/** The status of an introspection, in the members of ironic-inspector's API. */
export function introspectionView(node: NodeRecord, publicBase: string): Fields {
  const state = introspectionStateOf(node);
  const failed = state === 'error';
  return {
    uuid: node.uuid,
    state,
    started_at: node.inspection_started_at ?? null,
    finished_at: failed
      ? (node.provision_updated_at ?? null)
      : (node.inspection_finished_at ?? null),
    finished: failed || state === 'finished',
    error: failed ? node.last_error : null,
    links: [{ href: `${publicBase}/v1/introspection/${node.uuid}`, rel: 'self' }],
  };
}
