/** Something about a policy that somebody should look at. */
export interface Finding {
  readonly rule:
    | 'unknown-name'
    | 'nobody'
    | 'redundant-grant'
    | 'never-visible'
    | 'same-as-default'
    | 'not-in-golden-table'
    | 'opa-check'
    | 'unused-grant';
  /** A note is worth knowing and no fault. */
  readonly severity: 'warning' | 'note';
  /** The action, grant or file that it is about. */
  readonly about: string;
  readonly message: string;
}

/** A fault. */
export const warning = (rule: Finding['rule'], about: string, message: string): Finding => ({
  rule,
  severity: 'warning',
  about,
  message,
});

/** A finding for information. */
export const note = (rule: Finding['rule'], about: string, message: string): Finding => ({
  rule,
  severity: 'note',
  about,
  message,
});
