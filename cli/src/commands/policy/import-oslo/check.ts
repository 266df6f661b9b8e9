/** A single check: `kind:match`, cut at the first colon. */
export interface SingleCheck {
  readonly is: 'check';
  readonly kind: string;
  readonly match: string;
}

/** A rule as a tree of checks. */
export type Check =
  | { readonly is: 'always' }
  | { readonly is: 'never' }
  | SingleCheck
  | { readonly is: 'not'; readonly check: Check }
  | { readonly is: 'and' | 'or'; readonly checks: readonly Check[] };

export const ALWAYS: Check = { is: 'always' };
export const NEVER: Check = { is: 'never' };
