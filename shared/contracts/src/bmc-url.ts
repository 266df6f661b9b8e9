/** The address of a BMC as a URL, with https as the default scheme; undefined for an address that is never called. */
export function bmcUrlIn(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== ''
    ? url
    : undefined;
}
