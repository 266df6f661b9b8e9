/** The parts of an answer that a client can compare; without times, request ids and the named ident. */
export const factsOf = async (response: Response, ident = ''): Promise<unknown> => ({
  status: response.status,
  headers: [...response.headers].filter(
    ([name]) => !/^(?:date|content-length|(?:x-)?(?:openstack|compute)-request-id)$/u.test(name),
  ),
  text: (await response.text()).replaceAll(ident === '' ? '\0' : ident, 'IDENT'),
});

/** The sentence inside Ironic's error body. */
export async function faultIn(response: Response): Promise<string> {
  const body = (await response.json()) as { error_message: string }; // the gateway's own errors
  return (JSON.parse(body.error_message) as { faultstring: string }).faultstring;
}
