/**
 * `driver_internal_info` of a node whose boot brought a secret with it, as the conductor writes it when it starts the boot.
 * @param work what the boot is for, such as `deploy`
 */
export const bootedWith = (secret: string, work: string): Readonly<Record<string, unknown>> => ({
  agent_secret_token: secret,
  agent_secret_token_pregenerated: true,
  agent_boot: {
    id: 'boot-1',
    work,
    // Of a node that a new store has imported once.
    tenancy_revision: 1,
    started_at: '2026-01-01T00:00:00+00:00',
    image: '00'.repeat(32),
  },
});
