/** The address of a BMC as URL; https when it does not say the scheme; undefined for what is never called. */
export const bmcUrlIn = (text: string): URL | undefined => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== ''
    ? url
    : undefined;
};
