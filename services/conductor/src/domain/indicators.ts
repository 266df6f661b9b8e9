import { BadRequestError, NotFoundError } from '@tenure/contracts';

export const INDICATOR_STATES = ['off', 'on', 'blinking', 'unknown'] as const;
export type IndicatorState = (typeof INDICATOR_STATES)[number];

/** A lamp: `name` is unique within its component. */
export interface IndicatorId {
  readonly component: string;
  readonly name: string;
}

/** The name under which the API knows an indicator: `led@system`. */
export const uniqueName = ({ component, name }: IndicatorId): string => `${name}@${component}`;

/**
 * An indicator's component and name.
 * @throws BadRequestError when there is no `@`
 */
export function indicatorNamed(unique: string): IndicatorId {
  const at = unique.indexOf('@');
  if (at < 0) throw new BadRequestError(`Malformed indicator name "${unique.slice(0, 255)}"`);
  return { component: unique.slice(at + 1), name: unique.slice(0, at) };
}

export const noIndicator = (id: IndicatorId): NotFoundError =>
  NotFoundError.part(`Indicator ${uniqueName(id).slice(0, 255)} could not be found.`);
