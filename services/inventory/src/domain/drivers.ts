import { type Conductor, type InterfaceChoice } from './conductors.js';

/** A driver, as the live conductors together offer it. */
export interface Driver {
  readonly name: string;
  /** Conductors that run it. */
  readonly hosts: readonly string[];
  readonly choice: (type: string) => InterfaceChoice;
}

const NO_CHOICE: InterfaceChoice = { default: null, enabled: [] };

/**
 * The drivers of all conductors, by name.
 * @param live in the order of their names, so that the result does not depend on the order of heartbeats
 */
export const driversOf = (live: readonly Conductor[]): readonly Driver[] =>
  [...new Set(live.flatMap(({ drivers }) => drivers))].sort().map((name) => {
    const conductors = live.filter(({ drivers }) => drivers.includes(name));
    return {
      name,
      hosts: conductors.map(({ hostname }) => hostname),
      choice: choiceAmong(conductors, name),
    };
  });

const choiceAmong =
  (conductors: readonly Conductor[], driver: string) =>
  (type: string): InterfaceChoice => {
    const choices = conductors.map(({ interfaces }) => interfaces?.[driver]?.[type] ?? NO_CHOICE);
    return {
      default: choices.find((choice) => choice.default !== null)?.default ?? null,
      enabled: [...new Set(choices.flatMap(({ enabled }) => enabled))],
    };
  };
