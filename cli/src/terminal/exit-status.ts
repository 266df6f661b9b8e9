/** Ends the process with this status, after all output has been printed. */
export class ExitStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit status ${String(status)}`);
    this.name = 'ExitStatus';
    this.status = status;
  }
}
