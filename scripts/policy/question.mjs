/** The type of resource that a question about this action names. */
export function resourceType(action, row) {
  const [service, noun] = action.split(':');
  if (service === 'os_compute_api') {
    if (noun === 'os-keypairs') return 'keypair';
    return row.kind === 'item' ? 'server' : 'none';
  }
  if (service !== 'baremetal') return 'none';
  if (noun === 'shards' || noun === 'events' || row.kind === 'list') return 'none';
  // a resource that is created under a node relates to that node's owner and lessee
  if (row.kind === 'create' && !['port', 'portgroup', 'volume', 'lease'].includes(noun))
    return 'none';
  return noun;
}

/** The question of a persona about an action. */
export function question(persona, action, row) {
  return {
    action,
    subject: persona.subject,
    resource: { type: resourceType(action, row), ...persona.tenancy, tenancy_revision: 1 },
    now: '2026-11-21T06:00:00Z',
  };
}
