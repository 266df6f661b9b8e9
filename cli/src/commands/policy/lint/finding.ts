/** A finding about a policy. */
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
  /** A note is for information, a warning is a fault. */
  readonly severity: 'warning' | 'note';
  /** The action, grant or file concerned. */
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
