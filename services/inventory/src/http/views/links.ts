/** The two links that Ironic gives of everything: below `/v1`, and without it. */
export const linksOf = (
  base: string,
  path: string,
): readonly { readonly href: string; readonly rel: 'self' | 'bookmark' }[] => [
  { href: `${base}/v1/${path}`, rel: 'self' },
  { href: `${base}/${path}`, rel: 'bookmark' },
];
