import { Type } from '@sinclair/typebox';

/** Where other conductors reach a conductor: scheme, host and port, and nothing that could carry a secret or a path. */
export const AdvertisedUrl = Type.String({
  pattern:
    '^https?://(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?$',
  maxLength: 300,
  description: 'http(s)://host[:port], without a path',
});
