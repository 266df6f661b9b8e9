/** One operation of a JSON patch. */
interface Operation {
  readonly op: 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** A patch that gives one member a value. */
export const replaces = (member: string, value: unknown): readonly Operation[] => [
  { op: 'replace', path: `/${member}`, value },
];

/** A patch that takes the value of one member away. */
export const removes = (member: string): readonly Operation[] => [
  { op: 'remove', path: `/${member}` },
];
