/** What a request brings to say who sends it. */
export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string };
