/** The credentials of a request. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string };
