/** Ends the process with this status; whatever there was to say has been said. */
export class ExitStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${String(status)}`);
    this.name = 'ExitStatus';
    this.status = status;
  }
}
