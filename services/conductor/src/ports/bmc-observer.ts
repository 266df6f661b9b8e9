export type BmcMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Observes each call to a BMC, for metrics. `outcome` is a status class (`2xx`) or a failure kind. */
export type ObserveBmcCall = (method: BmcMethod, outcome: string, seconds: number) => void;
