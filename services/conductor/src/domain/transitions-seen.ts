import { type NodeRecord } from '@tenure/contracts';
import { pendingProvisionOf } from './provision/pending.js';

/** The states of the row that a write replaced. */
export interface PreviousStates {
  readonly provision_state: string;
  /** When it was entered (RFC 3339); null when unknown. */
  readonly provision_updated_at: string | null;
  readonly power_state: string | null;
}

/** A node that went from one provision state to another. */
export interface ProvisionTransition {
  readonly from: string;
  readonly to: string;
  readonly target: string | null;
  /** Of the order, for example `deploy`; null when none is recorded. */
  readonly event: string | null;
  /** Time in the previous state; null when its start is unknown. The records count in whole seconds. */
  readonly durationMs: number | null;
}

/** A node whose power changed, or was seen for the first time. */
export interface PowerTransition {
  readonly from: string | null;
  readonly to: string | null;
  readonly target: string | null;
}

/**
 * @param earlier the node as this conductor last read it before the write: the write that ends an order also removes its event
 * @returns undefined when the provision state stayed
 */
export const provisionTransitionOf = (
  previous: PreviousStates,
  node: NodeRecord,
  earlier: NodeRecord = node,
): ProvisionTransition | undefined =>
  previous.provision_state === node.provision_state
    ? undefined
    : {
        from: previous.provision_state,
        to: node.provision_state,
        target: textOf(node.target_provision_state),
        event: (pendingProvisionOf(node) ?? pendingProvisionOf(earlier))?.event ?? null,
        durationMs: millisecondsBetween(
          previous.provision_updated_at,
          textOf(node.provision_updated_at),
        ),
      };

/** @returns undefined when the power state stayed */
export const powerTransitionOf = (
  previous: PreviousStates,
  node: NodeRecord,
): PowerTransition | undefined =>
  previous.power_state === node.power_state
    ? undefined
    : { from: previous.power_state, to: node.power_state, target: node.target_power_state };

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const millisecondsBetween = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));
