/** The result of `validate` for one interface; null: the driver has no such interface. */
export interface InterfaceResult {
  readonly result: boolean | null;
  readonly reason?: string;
}

/** Interfaces in the order in which Ironic lists them. */
export const INTERFACES = [
  'boot',
  'deploy',
  'management',
  'network',
  'power',
  'bios',
  'console',
  'firmware',
  'inspect',
  'raid',
  'rescue',
  'storage',
] as const;
type InterfaceName = (typeof INTERFACES)[number];

/** Interfaces that the driver's settings decide, and those it has without any settings. The others are not supported. */
export interface InterfaceSupport {
  readonly fromSettings: readonly InterfaceName[];
  readonly always: readonly InterfaceName[];
}

/** The interfaces that a driver offers for one type, and the default of a node that names none. */
interface InterfaceChoice {
  readonly default: string;
  readonly enabled: readonly string[];
}

/** By interface type: `bios`, `boot`, …, `vendor`. */
export type InterfaceChoices = Readonly<Record<string, InterfaceChoice>>;

/** The answer to `validate`: one result for every interface. */
export const validationOf = (
  support: InterfaceSupport,
  problem: string | undefined,
): Readonly<Record<string, InterfaceResult>> =>
  Object.fromEntries(INTERFACES.map((name) => [name, resultOf(name, support, problem)]));

function resultOf(
  name: InterfaceName,
  support: InterfaceSupport,
  problem: string | undefined,
): InterfaceResult {
  if (support.always.includes(name)) return { result: true };
  if (!support.fromSettings.includes(name)) return { result: null, reason: 'not supported' };
  return problem === undefined ? { result: true } : { result: false, reason: problem };
}
