/**
 * The error vocabulary of every part. A message is safe to show to the caller; what is not goes into `cause`.
 * Rendered once per listener: Ironic's body on public routes, RFC 9457 on internal ones.
 */
export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Answer headers that belong to this error, for example `Allow` or `X-Tenure-Stale`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Base of all errors that are returned to a caller. `code` is stable and machine-readable. */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, status: number, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

/** 400: the request is not one that this route takes. */
export class BadRequestError extends AppError {
  constructor(message: string, options?: AppErrorOptions) {
    super('bad_request', 400, message, options);
  }
}

/** 401: no token, or not a good one; between parts: no signed context, or not a good one. */
export class UnauthorizedError extends AppError {
  constructor(
    message = 'The request you have made requires authentication.',
    options?: AppErrorOptions,
  ) {
    super('unauthorized', 401, message, options);
  }
}

/** 401: the signed context was already used for a request that changes something. */
export class ContextReplayedError extends AppError {
  constructor() {
    super('context_replayed', 401, 'The signed context was used before.');
  }
}

/** 403: allowed to see, not allowed to act. Says which action was denied. */
export class AccessDeniedError extends AppError {
  readonly action: string;

  constructor(action: string, options?: AppErrorOptions) {
    super('access_denied', 403, `Access was denied to the following resource: ${action}`, options);
    this.action = action;
  }
}

/** 404: missing or not visible; the answer is the same. */
export class NotFoundError extends AppError {
  constructor(message: string, options?: AppErrorOptions) {
    super('not_found', 404, message, options);
  }

  /** The one sentence for a node, allocation, … that is missing or invisible. */
  static of(kind: string, ident: string): NotFoundError {
    return new NotFoundError(`${kind} ${ident} could not be found.`);
  }

  /**
   * A part of a visible resource that it does not have: a trait of a node, a BIOS setting. The gateway relays it;
   * it replaces the message of every other 404 of a service (docs/contracts/README.md, "Errors").
   */
  static part(message: string): NotFoundError {
    return new NotFoundError(message, { headers: { 'X-Tenure-Missing': 'part' } });
  }
}

/** 406: the microversion is not served, or a field is too new for the requested one. */
export class NotAcceptableError extends AppError {
  constructor(message = 'Request not acceptable.', options?: AppErrorOptions) {
    super('not_acceptable', 406, message, options);
  }
}

/** 409 with a code that says which conflict: `node_locked`, `duplicate`, `revision_conflict`, `lock_lost`, … */
export class ConflictError extends AppError {
  constructor(code: string, message: string, options?: AppErrorOptions) {
    super(code, 409, message, options);
  }
}

/** 412: the decision was made on an owner or lessee that is no longer there; the gateway asks again. */
export class TenancyChangedError extends AppError {
  constructor() {
    super('tenancy_changed', 412, 'The tenancy of the resource changed; ask for a new decision.', {
      headers: { 'X-Tenure-Stale': 'tenancy' },
    });
  }
}

/** 503: a part that is needed did not answer in time, or not well. Never an allow. */
export class UnavailableError extends AppError {
  constructor(message: string, options?: AppErrorOptions) {
    super('unavailable', 503, message, options);
  }
}

/** 507: the store is full. A retry succeeds only after space was freed. */
export class InsufficientStorageError extends AppError {
  constructor(message: string, options?: AppErrorOptions) {
    super('insufficient_storage', 507, message, options);
  }
}

/** RFC 9457 problem details, with the stable `code`. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

interface ExposableHttpError {
  readonly status: number;
  readonly expose: true;
  readonly message: string;
}

/** 409: the machine of this node is being handed over, and its next tenant cannot use it yet. */
export const nodeInHandover = (uuid: string): ConflictError =>
  new ConflictError(
    'node_in_handover',
    `Node ${uuid} is being handed over and cannot be used before that is complete; please retry later.`,
  );

/**
 * Every error as an `AppError`. Ours stay; a body parser's 4xx keeps its status; anything else is a 500
 * with one fixed sentence, its own text kept for the log as `cause`.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isExposable(error)) return new AppError('bad_request', error.status, error.message);
  return new AppError('internal', 500, 'An unexpected error happened.', { cause: error });
}

const isExposable = (error: unknown): error is ExposableHttpError =>
  error instanceof Error &&
  'expose' in error &&
  error.expose === true &&
  'status' in error &&
  typeof error.status === 'number' &&
  error.status >= 400 &&
  error.status < 500;
