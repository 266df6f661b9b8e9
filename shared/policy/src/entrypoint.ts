/** Entrypoints of a policy: `tenure/authz/decision` and `tenure/authz/batch`. */
export type Entrypoint = 'decision' | 'batch';
